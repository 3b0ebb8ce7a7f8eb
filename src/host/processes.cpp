#include "host/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.h"

namespace sidegrade::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

bool is_in(const fs::path& path, const fs::path& folder) {
  const std::string text = path.string();
  return text == folder.string() || text.starts_with(folder.string() + "/");
}

/// Signals until none is left or the time is over; whether none is left.
bool signal_until_gone(const fs::path& folder, int signal, milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (const pid_t pid : processes_in({}, folder)) kill(pid, signal);
  while (!processes_in({}, folder).empty()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(20));
    if (signal == SIGKILL) {
      for (const pid_t pid : processes_in({}, folder)) kill(pid, signal);
    }
  }
  return true;
}

}  // namespace

std::vector<pid_t> processes_in(const Root& root, const fs::path& folder) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, code] =
        std::from_chars(name.data(), name.data() + name.size(), pid);
    if (code != std::errc() || *end != '\0' || pid == getpid()) continue;
    const fs::path cwd = fs::read_symlink(entry.path() / "cwd", ignored);
    if (is_in(cwd, folder)) found.push_back(pid);
  }
  return found;
}

void end_processes_in(const fs::path& folder) {
  if (signal_until_gone(folder, SIGQUIT, std::chrono::seconds(5))) return;
  if (signal_until_gone(folder, SIGKILL, std::chrono::seconds(10))) return;
  throw base::Error(
      fmt::format("process {} in {} does not end",
                  processes_in({}, folder).front(), folder.string()),
      "It waits in the kernel; try sidegrade restore again when its device "
      "answers.");
}

}  // namespace sidegrade::host
