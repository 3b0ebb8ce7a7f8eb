#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/text.h"
#include "scenario/scenario.h"
#include "workload/inputs.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;

constexpr int kFewRounds = 3;
constexpr const char* kDurabilityStep =
    "Leave it on, unless this is what you want to measure: the figures don't "
    "hold for a database that must survive a crash.";

/// Whether PostgreSQL takes the value of a setting for false.
bool is_off(std::string value) {
  std::transform(
      value.begin(), value.end(), value.begin(),
      [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (value.empty()) return false;
  return value == "0" || value == "of" || value == "off" ||
         std::string_view("false").starts_with(value) ||
         std::string_view("no").starts_with(value);
}

void warn_of_settings(const Scenario& scenario, base::Warnings& warnings) {
  for (const char* name : {"fsync", "full_page_writes", "synchronous_commit"}) {
    const auto setting = scenario.postgres.settings.find(name);
    if (setting == scenario.postgres.settings.end()) continue;
    if (!is_off(setting->second)) continue;
    warnings.push_back({fmt::format("\"{}\" is off", name), kDurabilityStep});
  }
}

void warn_of_barriers(const Scenario& scenario, base::Warnings& warnings) {
  for (const storage::TargetSpec& target : scenario.targets) {
    const auto* loop = std::get_if<storage::LoopSpec>(&target.place);
    if (loop == nullptr) continue;
    for (const auto& option : base::split(loop->mount_options, ',')) {
      if (option != "nobarrier" && option != "barrier=0") continue;
      warnings.push_back(
          {fmt::format("target \"{}\" is mounted with {}", target.name, option),
           kDurabilityStep});
    }
  }
}

fs::path directory_of(const storage::TargetSpec& target) {
  if (const auto* loop = std::get_if<storage::LoopSpec>(&target.place)) {
    return loop->image_directory;
  }
  return std::get<storage::DirectorySpec>(target.place).path;
}

bool same_device(const fs::path& a, const fs::path& b) {
  struct stat of_a = {};
  struct stat of_b = {};
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev;
}

void warn_of_input(const char* role, const fs::path& file,
                   const Scenario& scenario, base::Warnings& warnings) {
  if (!workload::is_plain(file)) return;  // trials read what is made of it
  std::vector<std::string> shared;
  for (const storage::TargetSpec& target : scenario.targets) {
    if (same_device(file, directory_of(target))) shared.push_back(target.name);
  }
  if (shared.empty()) return;
  warnings.push_back(
      {fmt::format("the {} file {} lies on a measured file system (target {})",
                   role, file.string(), base::join(shared, ", ")),
       "Move it to a disk that is not measured, or reading it is measured "
       "too."});
}

void warn_of_rounds(const Scenario& scenario, base::Warnings& warnings) {
  const int rounds = scenario.repetitions.rounds;
  if (rounds >= kFewRounds) return;
  warnings.push_back(
      {fmt::format("{} {} can't tell a change from chance: a spread needs at "
                   "least {}",
                   rounds, rounds == 1 ? "round" : "rounds", kFewRounds),
       fmt::format("Set rounds to {} or more.", kFewRounds)});
}

}  // namespace

base::Warnings warnings(const Scenario& scenario) {
  base::Warnings found;
  warn_of_settings(scenario, found);
  warn_of_barriers(scenario, found);
  for (const fs::path& file : scenario.workload.schema) {
    warn_of_input("schema", file, scenario, found);
  }
  for (const fs::path& file : scenario.workload.data) {
    warn_of_input("data", file, scenario, found);
  }
  warn_of_rounds(scenario, found);
  return found;
}

}  // namespace sidegrade::scenario
