#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "postgres/cluster.h"
#include "postgres/database.h"
#include "postgres/script_session.h"
#include "workload/inputs.h"
#include "workload/sections.h"
#include "workload/spec.h"

namespace sidegrade::workload {

/// What a phase did, besides taking time.
struct PhaseWork {
  std::map<std::string, double> metrics;  ///< rows, statements, copy_bytes …
  std::map<std::string, std::string> absent;  ///< metric → why it isn't known
  /// The client's use of the processor if the calling thread's is not all.
  std::optional<base::ResourceUsage> client;
  std::vector<std::string> messages;  ///< the server's first notices, in full

  void add(PhaseWork other);
};

/// The workload in one trial: executes its phases in order on one cluster.
class Execution {
 public:
  struct Context {
    const WorkloadSpec& spec;
    const Inputs& inputs;
    const postgres::ClusterSpec& cluster_spec;
    const postgres::Endpoint& endpoint;
    std::filesystem::path
        mount;  ///< a folder on the target, for the final sync
    const base::Interrupt& interrupt;
    std::atomic<uint64_t>& bytes_sent;
  };

  explicit Execution(const Context& context);
  ~Execution();

  /// The phases that have something to do: `index` only where indexes and
  /// constraints follow the data.
  std::vector<PhaseKind> phases() const;

  /// Does the phase's work; everything in it is meant to be timed.
  PhaseWork execute(PhaseKind phase);

 private:
  PhaseWork execute_stretches(PhaseKind phase, base::Deadline deadline);
  PhaseWork execute_natively(const Stretch& stretch, base::Deadline deadline);
  PhaseWork execute_with_psql(const Stretch& stretch, base::Deadline deadline);
  void begin_script(size_t file);

  Context context_;
  postgres::Database server_;  ///< connected to the database `postgres`
  std::vector<Stretch> stretches_;
  std::string rows_tied_at_;  ///< why rows can't be loaded side by side
  std::map<std::string, uint64_t> table_bytes_;
  std::unique_ptr<postgres::ScriptSession> session_;
  std::optional<size_t> session_file_;
};

/// The name of the database that trials create.
inline constexpr const char* kDatabase = "sidegrade";

}  // namespace sidegrade::workload
