#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/user.h"
#include "storage/target.h"

namespace sidegrade::storage::test {

/// A folder that ordinary users may pass through; it goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// A new folder in it.
  std::filesystem::path folder(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// An executable `name` that stands first in PATH while the object lives.
class FakeProgram {
 public:
  FakeProgram(const TemporaryFolder& folder, const std::string& name,
              const std::string& shell_text);
  FakeProgram(const FakeProgram&) = delete;
  FakeProgram& operator=(const FakeProgram&) = delete;
  ~FakeProgram();

 private:
  std::string old_path_;
};

/// Why loop devices with this file system can't be tested here; empty: they
/// can.
std::string why_no_loops(const std::string& filesystem);

/// An ordinary account that every Debian has.
base::User ordinary_user();

TargetSpec loop_target(const std::string& filesystem, uint64_t size_bytes,
                       const std::filesystem::path& image_directory);

/// What sidegrade left in or below `folder`: files and folders of its names,
/// mounts, loop devices of images there.
std::vector<std::string> leftovers(const std::filesystem::path& folder);

}  // namespace sidegrade::storage::test
