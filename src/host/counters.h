#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"

namespace sidegrade::host {

/// What one block device has done since boot (/proc/diskstats; sectors there
/// are of 512 bytes whatever the device's own).
struct DiskCounters {
  uint64_t reads = 0;
  uint64_t read_bytes = 0;
  uint64_t writes = 0;
  uint64_t written_bytes = 0;
  std::optional<uint64_t> flushes;  ///< absent before kernel 5.5
  uint64_t in_flight = 0;           ///< requests now, not since boot

  bool operator==(const DiskCounters&) const = default;
};

/// Counters of the named devices; a device that has vanished is left out.
std::map<std::string, DiskCounters> read_disk_counters(
    const Root& root, const std::vector<std::string>& names);

/// What a set of processes has used.
struct ServerCounters {
  double user_s = 0;
  double sys_s = 0;
  std::optional<uint64_t> major_faults;
};

/// Usage of process `root_pid` and its descendants, those already waited for
/// included (/proc/<pid>/stat; resolution is a clock tick, 10 ms). Exited
/// children count once their parent has reaped them. Throws Error if there is
/// no such process.
ServerCounters read_process_tree(const Root& root, pid_t root_pid);

/// Context switches of the whole machine since boot (/proc/stat ctxt).
std::optional<uint64_t> read_context_switches(const Root& root);

}  // namespace sidegrade::host
