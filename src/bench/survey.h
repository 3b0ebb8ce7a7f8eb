#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/user.h"
#include "base/warning.h"
#include "bench/paths.h"
#include "postgres/installation.h"
#include "scenario/plan.h"
#include "scenario/scenario.h"
#include "workload/inputs.h"

namespace sidegrade::bench {

/// What can be known of a run before anything is touched.
struct Survey {
  std::vector<scenario::Trial> trials;
  postgres::Installation installation;
  base::User owner;  ///< of the clusters
  std::optional<workload::ShippedSchema> schema;
  /// The SQL that a trial executes, in order; some of it may lie in the cache
  /// only once it has been made.
  std::vector<std::filesystem::path> inputs;
  uint64_t input_bytes = 0;   ///< of the data that are imported
  bool inputs_exist = false;  ///< false: to be made first, their size a guess
  std::vector<uint64_t> space_needed;  ///< bytes, a target
  std::vector<uint64_t> space_free;    ///< bytes, a target
  /// Seconds that the whole run may take, by earlier runs of this scenario on
  /// this host; nothing if there are none.
  std::optional<double> expected_s;
  std::vector<scenario::Diagnostic> obstacles;  ///< the run would refuse
  base::Warnings warnings;                      ///< it would go on, and say so
};

/// Looks, and touches nothing. Throws Error if PostgreSQL can't be found.
Survey survey(const scenario::Scenario& scenario, const Paths& paths);

/// Every command of one trial on target number `target`, in order, as a shell
/// would show them.
std::vector<std::string> commands_of_trial(const scenario::Scenario& scenario,
                                           const Survey& survey,
                                           const Paths& paths, size_t target);

/// Bytes that a cluster with these inputs fills: files of initdb, tables and
/// indexes, and WAL up to max_wal_size.
uint64_t needed_bytes(uint64_t input_bytes,
                      const scenario::PostgresSpec& postgres);

}  // namespace sidegrade::bench
