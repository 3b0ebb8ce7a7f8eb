#include "host/tree.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace sidegrade::host {

Fact known(std::string value) { return {std::move(value), ""}; }

Fact absent(std::string because) { return {"", std::move(because)}; }

bool is_known(const Fact& fact) { return fact.absent_because.empty(); }

Fact read_fact(const std::filesystem::path& file) {
  try {
    return known(std::string(base::trim(base::read_file(file))));
  } catch (const base::Error& error) {
    return absent(error.what());
  }
}

Fact selected(Fact fact) {
  const size_t open = fact.value.find_first_of("[(");
  if (open == std::string::npos) return fact;
  const size_t close = fact.value.find_first_of("])", open);
  if (close == std::string::npos) return fact;
  return known(fact.value.substr(open + 1, close - open - 1));
}

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  const std::filesystem::directory_iterator end;
  for (; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, std::string> read_keys(
    const std::filesystem::path& file) {
  std::map<std::string, std::string> keys;
  for (const std::string& line :
       base::split(base::try_read_file(file).value_or(""), '\n')) {
    const size_t colon = line.find(':');
    if (line.empty()) break;
    if (colon == std::string::npos) continue;
    keys.emplace(base::trim(line.substr(0, colon)),
                 base::trim(line.substr(colon + 1)));
  }
  return keys;
}

}  // namespace sidegrade::host
