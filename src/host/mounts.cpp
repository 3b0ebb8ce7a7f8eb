#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "host/block.h"

namespace sidegrade::host {
namespace {

bool is_octal(std::string_view digits) {
  return digits.size() == 3 &&
         std::all_of(digits.begin(), digits.end(),
                     [](char c) { return c >= '0' && c <= '7'; });
}

/// Undoes mountinfo's `\040` for a blank and the like.
std::string unescape(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string digits = text.substr(i + 1, 3);
    if (text[i] == '\\' && is_octal(digits)) {
      plain += static_cast<char>(std::stoi(digits, nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// "ro" if either says so, then every other option once.
std::string merged_options(const std::string& mount, const std::string& super) {
  std::vector<std::string> options = {"rw"};
  for (const std::string& option :
       base::split(fmt::format("{},{}", mount, super), ',')) {
    if (option == "ro") options.front() = "ro";
    if (option == "rw" || option == "ro" || option.empty()) continue;
    if (std::find(options.begin(), options.end(), option) == options.end()) {
      options.push_back(option);
    }
  }
  return base::join(options, ",");
}

std::optional<Mount> parse_mount(const std::string& line) {
  constexpr size_t kNumber = 2;
  constexpr size_t kPoint = 4;
  constexpr size_t kOptions = 5;
  constexpr size_t kFirstOptional = 6;
  const auto fields = base::split(line, ' ');
  if (fields.size() <= kFirstOptional) return std::nullopt;
  const auto dash =
      std::find(fields.begin() + kFirstOptional, fields.end(), "-");
  if (fields.end() - dash < 4) return std::nullopt;
  Mount mount;
  mount.device_number = fields[kNumber];
  mount.point = unescape(fields[kPoint]);
  mount.type = dash[1];
  mount.source = unescape(dash[2]);
  mount.options = merged_options(fields[kOptions], unescape(dash[3]));
  return mount;
}

/// `path` as the tree's own processes would see it, symbolic links resolved as
/// far as they exist.
std::filesystem::path path_inside(const Root& root,
                                  const std::filesystem::path& path) {
  const auto full = root / std::filesystem::absolute(path);
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(full, error);
  if (error) return std::filesystem::absolute(path).lexically_normal();
  const auto top = std::filesystem::weakly_canonical(root.path);
  return ("/" / real.lexically_relative(top)).lexically_normal();
}

bool holds(const std::filesystem::path& point,
           const std::filesystem::path& path) {
  const auto rest = path.lexically_relative(point);
  return !rest.empty() && *rest.begin() != "..";
}

}  // namespace

std::vector<Mount> mounts(const Root& root) {
  std::vector<Mount> all;
  const std::string text = base::read_file(root / "/proc/self/mountinfo");
  for (const std::string& line : base::split(text, '\n')) {
    if (auto mount = parse_mount(line)) all.push_back(*std::move(mount));
  }
  return all;
}

std::optional<Mount> mount_of(const Root& root,
                              const std::filesystem::path& path) {
  const auto inside = path_inside(root, path);
  std::optional<Mount> best;
  for (Mount& mount : mounts(root)) {
    if (!holds(mount.point, inside)) continue;
    if (!best || mount.point.native().size() >= best->point.native().size()) {
      best = std::move(mount);
    }
  }
  return best;
}

}  // namespace sidegrade::host
