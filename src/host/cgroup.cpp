#include "host/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "host/block.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

using std::filesystem::path;

CgroupPlace no_place(std::string because) { return {{}, std::move(because)}; }

std::optional<path> hierarchy(const Root& root) {
  for (const Mount& mount : mounts(root)) {
    if (mount.type == "cgroup2") return root / mount.point;
  }
  return std::nullopt;
}

/// This process's group in the v2 hierarchy, as a path from its top.
std::optional<path> own_group(const Root& root) {
  constexpr std::string_view kVersion2 = "0::";
  const auto text = base::try_read_file(root / "/proc/self/cgroup");
  for (const std::string& line : base::split(text.value_or(""), '\n')) {
    if (line.starts_with(kVersion2)) return line.substr(kVersion2.size());
  }
  return std::nullopt;
}

/// "key value" lines.
std::map<std::string, uint64_t> read_counts(const std::string& text) {
  std::map<std::string, uint64_t> counts;
  for (const std::string& line : base::split(text, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() != 2) continue;
    if (const auto count = parse_count(words[1])) counts[words[0]] = *count;
  }
  return counts;
}

void kill_members(const path& group) {
  const base::UniqueFd fd(
      open((group / "cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (fd && write(fd.get(), "1", 1) == 1) return;
  // Before kernel 5.14: one by one. A zero stands for a process that this pid
  // namespace does not see.
  const auto members = base::try_read_file(group / "cgroup.procs");
  for (const std::string& word : base::split_words(members.value_or(""))) {
    const auto pid = parse_count(word);
    if (pid && *pid > 0) kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

}  // namespace

CgroupPlace find_cgroup_place(const Root& root) {
  const auto top = hierarchy(root);
  if (!top) return no_place("no cgroup v2 hierarchy is mounted");
  const auto group = own_group(root);
  if (!group) return no_place("/proc/self/cgroup names no cgroup v2");
  const path parent = (*top / group->relative_path()).lexically_normal();
  for (const path& needed : {parent, parent / "cgroup.procs"}) {
    if (access(needed.c_str(), W_OK) != 0) {
      return no_place(fmt::format("{} can't be written: {}", needed.string(),
                                  base::errno_text(errno)));
    }
  }
  return {parent, ""};
}

ServerCounters read_cgroup(const path& group) {
  constexpr double kMicroseconds = 1e6;
  const auto cpu = read_counts(base::read_file(group / "cpu.stat"));
  const auto user = cpu.find("user_usec");
  const auto sys = cpu.find("system_usec");
  if (user == cpu.end() || sys == cpu.end()) {
    throw base::Error(fmt::format("{} has no user_usec and system_usec",
                                  (group / "cpu.stat").string()));
  }
  ServerCounters counters;
  counters.user_s = static_cast<double>(user->second) / kMicroseconds;
  counters.sys_s = static_cast<double>(sys->second) / kMicroseconds;
  const auto memory =
      read_counts(base::try_read_file(group / "memory.stat").value_or(""));
  const auto faults = memory.find("pgmajfault");
  if (faults != memory.end()) counters.major_faults = faults->second;
  return counters;
}

void remove_cgroup(const path& group) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds kLimit(5);
  constexpr std::chrono::milliseconds kPause(10);
  const auto end = steady_clock::now() + kLimit;
  while (rmdir(group.c_str()) != 0) {
    if (errno == ENOENT) return;
    // Busy until the kernel has buried what was killed.
    if (errno != EBUSY || steady_clock::now() > end) {
      base::throw_errno(
          fmt::format("control group {} can't be removed", group.string()),
          "Its cgroup.procs lists the processes that are still in it.");
    }
    kill_members(group);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace sidegrade::host
