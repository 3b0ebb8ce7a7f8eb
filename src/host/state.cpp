#include "host/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "host/counters.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

using Counters = std::map<std::string, DiskCounters>;

bool is_at_rest(const Counters& before, const Counters& now) {
  return before == now &&
         std::all_of(now.begin(), now.end(), [](const auto& device) {
           return device.second.in_flight == 0;
         });
}

/// The text of a record "priority,number,time,flags;text" of /dev/kmsg, if it
/// is a warning or worse.
std::optional<std::string> warning_text(const std::string& line) {
  constexpr uint64_t kLevelMask = 7;  // the rest of priority is the facility
  constexpr uint64_t kWarning = 4;
  const size_t text = line.find(';');
  const auto priority = parse_count(line.substr(0, line.find(',')));
  if (text == std::string::npos || !priority) return std::nullopt;
  if ((*priority & kLevelMask) > kWarning) return std::nullopt;
  return line.substr(text + 1);
}

}  // namespace

void sync_file_system(const std::filesystem::path& path) {
  const base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || syncfs(fd.get()) != 0) {
    base::throw_errno(fmt::format("the file system of {} could not be synced",
                                  path.string()));
  }
}

void drop_caches(const Root& root) {
  constexpr std::string_view kPagesDentriesInodes = "3\n";
  const auto file = root / "/proc/sys/vm/drop_caches";
  const base::UniqueFd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || write(fd.get(), kPagesDentriesInodes.data(),
                   kPagesDentriesInodes.size()) < 0) {
    base::throw_errno(
        fmt::format("the caches could not be dropped ({})", file.string()),
        "Only root may: run as root, or set drop_caches: false in the "
        "scenario.");
  }
}

bool wait_until_quiet(const Root& root, const std::vector<std::string>& devices,
                      std::chrono::milliseconds quiet_for,
                      std::chrono::milliseconds limit,
                      const base::Interrupt& interrupt) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetweenSamples(50);
  if (devices.empty()) return true;
  const auto begin = steady_clock::now();
  auto quiet_since = begin;
  Counters before = read_disk_counters(root, devices);
  while (steady_clock::now() - begin < limit) {
    interrupt.sleep(std::min(kBetweenSamples, limit));
    Counters now = read_disk_counters(root, devices);
    const auto time = steady_clock::now();
    const bool at_rest = is_at_rest(before, now);
    if (at_rest && time - quiet_since >= quiet_for) return true;
    if (!at_rest) quiet_since = time;
    before = std::move(now);
  }
  return false;
}

KernelLog::KernelLog(const Root& root) {
  const auto file = root / "/dev/kmsg";
  fd_.reset(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd_ || lseek(fd_.get(), 0, SEEK_END) < 0) {
    absent_because_ = fmt::format("{} can't be read: {}", file.string(),
                                  base::errno_text(errno));
    fd_.reset();
  }
}

std::vector<std::string> KernelLog::take_new_warnings() {
  constexpr size_t kLongestRecord = 16384;
  std::vector<std::string> warnings;
  std::string record(kLongestRecord, '\0');
  while (fd_) {
    const ssize_t count = read(fd_.get(), record.data(), record.size());
    // EPIPE: the ring ran over what we had not read; the next is there.
    if (count < 0 && errno == EPIPE) continue;
    if (count <= 0) break;
    const auto lines =
        base::split(record.substr(0, static_cast<size_t>(count)), '\n');
    for (const std::string& line : lines) {
      if (auto text = warning_text(line)) warnings.push_back(*text);
    }
  }
  return warnings;
}

}  // namespace sidegrade::host
