#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"

// How this module reads the kernel's trees; inside src/host only.
namespace sidegrade::host {

Fact known(std::string value);
Fact absent(std::string because);
bool is_known(const Fact& fact);

/// The trimmed text of a file, or why it can't be read.
Fact read_fact(const std::filesystem::path& file);

/// Of a fact such as "none [mq-deadline] kyber" or "none (full)" the word in
/// brackets; as it is if there are none.
Fact selected(Fact fact);

/// The decimal number that `text` is, nothing else in it.
std::optional<uint64_t> parse_count(std::string_view text);

/// The names in a directory, sorted; none if it can't be read.
std::vector<std::string> names_in(const std::filesystem::path& directory);

/// "key : value" lines up to the first empty one: /proc/cpuinfo's first
/// processor, /proc/meminfo.
std::map<std::string, std::string> read_keys(const std::filesystem::path& file);

}  // namespace sidegrade::host
