#pragma once

#include <filesystem>
#include <optional>

#include "scenario/scenario.h"
#include "scenario/yaml.h"

namespace sidegrade::scenario {

/// Where the paths of a scenario are looked up.
struct Folders {
  std::filesystem::path scenario;  ///< relative paths are from here
  std::filesystem::path schemas;   ///< the shipped schemas
};

/// The readers of a scenario's sections. An absent section gives its defaults;
/// what is wrong is reported through the value.
PostgresSpec read_postgres(const YamlValue& value, const Folders& folders);
workload::WorkloadSpec read_workload(const YamlValue& value,
                                     const Folders& folders);
/// Sets `targets` and `target_locations`.
void read_targets(const YamlValue& value, const Folders& folders,
                  Scenario& scenario);
Repetitions read_repetitions(const YamlValue& value);
StateSpec read_state(const YamlValue& value);

/// The value as an absolute path of a readable file, or of a folder in
/// pg_dump's directory format; anything else is reported.
std::optional<std::filesystem::path> existing_input(const YamlValue& value,
                                                    const Folders& folders);
/// The same of a directory.
std::optional<std::filesystem::path> existing_directory(const YamlValue& value,
                                                        const Folders& folders);

}  // namespace sidegrade::scenario
