#include "host/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

constexpr uint64_t kSectorBytes = 512;

/// A line of /proc/diskstats, numbered as in the kernel's iostats.rst with two
/// numbers and the name before it; nothing if it is torn.
std::optional<DiskCounters> parse_disk(const std::vector<std::string>& words) {
  constexpr size_t kFewest = 14;
  constexpr size_t kFlushes = 18;
  if (words.size() < kFewest) return std::nullopt;
  std::vector<uint64_t> fields(3);
  for (size_t i = fields.size(); i < words.size(); ++i) {
    const auto count = parse_count(words[i]);
    if (!count) return std::nullopt;
    fields.push_back(*count);
  }
  DiskCounters counters;
  counters.reads = fields[3];
  counters.read_bytes = fields[5] * kSectorBytes;
  counters.writes = fields[7];
  counters.written_bytes = fields[9] * kSectorBytes;
  counters.in_flight = fields[11];
  if (fields.size() > kFlushes) counters.flushes = fields[kFlushes];
  return counters;
}

/// What /proc/<pid>/stat tells of one process.
struct ProcessStat {
  uint64_t parent = 0;
  uint64_t user_ticks = 0;
  uint64_t sys_ticks = 0;
  uint64_t major_faults = 0;
};

std::optional<ProcessStat> parse_process(const std::string& text) {
  constexpr size_t kFewest = 15;
  // The name before it is the process's own choice: it may hold ") R (" too.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const auto words = base::split_words(text.substr(name_end + 1));
  if (words.size() < kFewest) return std::nullopt;
  const auto field = [&](size_t i) {
    return parse_count(words[i]).value_or(0);
  };
  return ProcessStat{field(1), field(11) + field(13), field(12) + field(14),
                     field(9) + field(10)};
}

std::map<uint64_t, ProcessStat> read_processes(const Root& root) {
  std::map<uint64_t, ProcessStat> processes;
  const auto folder = root / "/proc";
  for (const std::string& name : names_in(folder)) {
    const auto pid = parse_count(name);
    if (!pid) continue;
    const auto text = base::try_read_file(folder / name / "stat");
    if (const auto stat = parse_process(text.value_or(""))) {
      processes[*pid] = *stat;
    }
  }
  return processes;
}

bool descends_from(const std::map<uint64_t, ProcessStat>& processes,
                   uint64_t pid, uint64_t ancestor) {
  // A pid that was reused while we read could close a ring: each step once.
  for (size_t steps = 0; steps <= processes.size(); ++steps) {
    if (pid == ancestor) return true;
    const auto process = processes.find(pid);
    if (process == processes.end()) return false;
    pid = process->second.parent;
  }
  return false;
}

}  // namespace

std::map<std::string, DiskCounters> read_disk_counters(
    const Root& root, const std::vector<std::string>& names) {
  constexpr size_t kName = 2;
  std::map<std::string, DiskCounters> all;
  const std::string text = base::read_file(root / "/proc/diskstats");
  for (const std::string& line : base::split(text, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() <= kName) continue;
    if (std::find(names.begin(), names.end(), words[kName]) == names.end()) {
      continue;
    }
    if (const auto counters = parse_disk(words)) all[words[kName]] = *counters;
  }
  return all;
}

ServerCounters read_process_tree(const Root& root, pid_t root_pid) {
  const auto processes = read_processes(root);
  const auto top = static_cast<uint64_t>(root_pid);
  if (!processes.contains(top)) {
    throw base::Error(fmt::format("there is no process {}", root_pid),
                      "It has ended while it was measured; its log says why.");
  }
  ProcessStat sum;
  for (const auto& [pid, process] : processes) {
    if (!descends_from(processes, pid, top)) continue;
    sum.user_ticks += process.user_ticks;
    sum.sys_ticks += process.sys_ticks;
    sum.major_faults += process.major_faults;
  }
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {static_cast<double>(sum.user_ticks) / ticks_per_s,
          static_cast<double>(sum.sys_ticks) / ticks_per_s, sum.major_faults};
}

std::optional<uint64_t> read_context_switches(const Root& root) {
  const auto text = base::try_read_file(root / "/proc/stat");
  for (const std::string& line : base::split(text.value_or(""), '\n')) {
    const auto words = base::split_words(line);
    if (words.size() == 2 && words[0] == "ctxt") return parse_count(words[1]);
  }
  return std::nullopt;
}

}  // namespace sidegrade::host
