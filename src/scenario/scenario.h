#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/warning.h"
#include "storage/target.h"
#include "workload/spec.h"

namespace sidegrade::scenario {

enum class Order { kRotated, kRandom, kFixed };

struct PostgresSpec {
  std::string bin_dir = "auto";
  std::string run_as;  ///< empty: `postgres` as root, else ourselves
  std::map<std::string, std::string> settings;  ///< postgresql.conf
  std::vector<std::string> initdb_arguments;
};

struct Repetitions {
  int rounds = 3;
  int warmup = 1;  ///< rounds whose samples are flagged and not compared
  Order order = Order::kRotated;
  uint64_t seed = 1;
};

struct StateSpec {
  bool drop_caches = false;
  std::chrono::milliseconds settle{10000};  ///< longest wait for quiet devices
};

/// One scenario file, checked: every value has its type and range, names are
/// unique, files are there.
struct Scenario {
  std::filesystem::path path;
  std::string text;  ///< the file as it is
  std::string name;
  std::string description;
  PostgresSpec postgres;
  workload::WorkloadSpec workload;
  std::vector<storage::TargetSpec> targets;
  Repetitions repetitions;
  StateSpec state;
};

/// One error of the file, with its place (from 1).
struct Diagnostic {
  std::filesystem::path file;
  int line = 0;
  int column = 0;
  std::string sentence;

  /// "file:line:column: sentence".
  std::string text() const;
};

/// Reads and checks a scenario; relative paths in it are from its folder.
/// Throws ScenarioError with every diagnostic found, not only the first.
Scenario load_scenario(const std::filesystem::path& path);

}  // namespace sidegrade::scenario
