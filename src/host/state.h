#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/unique_fd.h"
#include "host/facts.h"

namespace sidegrade::host {

/// Writes all dirty pages of the file system that holds `path` (syncfs). Throws
/// Error naming it.
void sync_file_system(const std::filesystem::path& path);

/// Drops the page cache, dentries and inodes. Throws Error if it may not (it
/// needs root).
void drop_caches(const Root& root);

/// Waits until the devices have had no request for `quiet_for`, at most
/// `limit`. Returns whether they became quiet; no devices are quiet at once.
/// Throws Interrupted.
bool wait_until_quiet(const Root& root, const std::vector<std::string>& devices,
                      std::chrono::milliseconds quiet_for,
                      std::chrono::milliseconds limit,
                      const base::Interrupt& interrupt);

/// Warnings and worse of the kernel's log since it was made.
class KernelLog {
 public:
  /// Begins at the log's present end. Never throws: without permission,
  /// absent_because() says so.
  explicit KernelLog(const Root& root);
  const std::string& absent_because() const { return absent_because_; }
  /// The texts since the last call; none if there is no log to read.
  std::vector<std::string> take_new_warnings();

 private:
  base::UniqueFd fd_;
  std::string absent_because_;
};

}  // namespace sidegrade::host
