#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "host/counters.h"
#include "postgres/database.h"
#include "store/record.h"
#include "workload/execution.h"

namespace sidegrade::bench {

/// Reads clock and counters around a phase's work: counters outside the timed
/// span, the clock at its edges.
class PhaseMeter {
 public:
  struct Sources {
    std::vector<std::string> devices;  ///< under the target, the top one first
    std::filesystem::path cgroup;      ///< of the server; empty: none
    pid_t server = 0;
    postgres::Endpoint endpoint;
  };

  explicit PhaseMeter(Sources sources);

  /// Does `work` and returns its record.
  store::PhaseRecord measure(const std::string& phase,
                             const std::function<workload::PhaseWork()>& work);

  /// What `work` of the last measure() said of itself.
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  struct Reading {
    double clock_s = 0;
    base::ResourceUsage client;
    host::ServerCounters server;
    std::map<std::string, host::DiskCounters> disks;
    std::optional<uint64_t> context_switches;
    uint64_t wal_bytes = 0;
  };

  Reading read_before();
  Reading read_after();
  void read_machine(Reading& reading) const;
  void add_devices(store::PhaseRecord& record, const Reading& before,
                   const Reading& after) const;
  void add_server(store::PhaseRecord& record, const Reading& before,
                  const Reading& after) const;

  Sources sources_;
  postgres::Database database_;
  std::vector<std::string> messages_;
};

}  // namespace sidegrade::bench
