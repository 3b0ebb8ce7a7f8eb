#include "analysis/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"

namespace sidegrade::analysis {
namespace {

using Values = std::set<std::string>;
using ByKernel = std::map<std::string, Values>;

constexpr std::array<std::string_view, 7> kExpectedToDiffer = {
    "kernel.release",        "kernel.version",       "kernel.boot_id",
    "kernel.uptime_s",       "kernel.config_sha256", "memory.available_bytes",
    "memory.huge_pages_free"};

/// The command line without the words by which a boot loader names the kernel.
std::string without_image_names(const std::string& command_line) {
  std::vector<std::string> words = base::split_words(command_line);
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("BOOT_IMAGE=") || word.starts_with("initrd=");
  });
  return base::join(words, " ");
}

std::map<std::string, ByKernel> values_by_fact(const ComparableRuns& runs) {
  std::map<std::string, ByKernel> facts;
  for (const store::Run* run : runs.runs) {
    for (const auto& [name, fact] : run->header.environment) {
      const bool expected =
          std::find(kExpectedToDiffer.begin(), kExpectedToDiffer.end(), name) !=
          kExpectedToDiffer.end();
      if (expected || !fact.absent_because.empty()) continue;
      facts[name][run->header.kernel].insert(
          name == "kernel.command_line" ? without_image_names(fact.value)
                                        : fact.value);
    }
  }
  return facts;
}

}  // namespace

std::vector<Difference> differences(const ComparableRuns& runs) {
  std::vector<Difference> result;
  for (const auto& [name, by_kernel] : values_by_fact(runs)) {
    if (by_kernel.size() != runs.kernels.size()) continue;
    const Values& first = by_kernel.begin()->second;
    const bool same =
        std::all_of(by_kernel.begin(), by_kernel.end(),
                    [&](const auto& entry) { return entry.second == first; });
    if (same) continue;
    Difference& difference = result.emplace_back();
    difference.name = name;
    for (const std::string& kernel : runs.kernels) {
      difference.values.push_back(
          fmt::format("{}", fmt::join(by_kernel.at(kernel), " or ")));
    }
  }
  return result;
}

}  // namespace sidegrade::analysis
