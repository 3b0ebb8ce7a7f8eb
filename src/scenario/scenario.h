#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/warning.h"
#include "storage/target.h"
#include "workload/spec.h"

namespace sidegrade::scenario {

/// A place in a file, from 1; columns count bytes. Line 0: the file as a whole.
struct Location {
  int line = 0;
  int column = 0;
};

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
  std::vector<Location> target_locations;  ///< of each target, in their order
  Repetitions repetitions;
  StateSpec state;
};

/// One error of a file, with its place.
struct Diagnostic {
  std::filesystem::path file;
  int line = 0;
  int column = 0;
  std::string sentence;

  /// "file:line:column: sentence"; "file: sentence" if line is 0.
  std::string text() const;
};

/// All that is wrong with a file; what() has a line for each diagnostic.
class ScenarioError : public base::Error {
 public:
  explicit ScenarioError(std::vector<Diagnostic> diagnostics);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Reads and checks a scenario; relative paths in it are from its folder, and
/// come out absolute. `schemas_directory` holds the shipped schemas: its
/// folders with a generator.yaml. Throws ScenarioError with every diagnostic
/// found, not only the first, in the order of the file.
Scenario load_scenario(const std::filesystem::path& path,
                       const std::filesystem::path& schemas_directory);

/// What stops nothing, yet bears on what the figures are worth: durability
/// given up, input files on a measured mount, too few rounds.
base::Warnings warnings(const Scenario& scenario);

/// `sentence` about target number `target`, at its place in the file: for what
/// is found only once the machine and the data are known.
Diagnostic target_diagnostic(const Scenario& scenario, size_t target,
                             const std::string& sentence);

}  // namespace sidegrade::scenario
