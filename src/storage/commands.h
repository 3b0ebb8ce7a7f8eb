#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "storage/target.h"

namespace sidegrade::storage {

/// What sidegrade knows of a file system beyond its name.
struct FilesystemKind {
  std::vector<std::string> mkfs_flags;  ///< quiet, and content with a file
  std::string package;                  ///< Debian's, with mkfs; empty: unknown
  uint64_t minimum_bytes = 0;           ///< mkfs refuses less
};

/// The kind called `filesystem`; one without flags if it is not a known one.
FilesystemKind filesystem_kind(const std::string& filesystem);

/// Where one trial's things lie; absolute, without symbolic links.
struct LoopPaths {
  std::filesystem::path image;
  std::filesystem::path mount_point;
  std::filesystem::path folder;
};
LoopPaths loop_paths(const LoopSpec& spec, const std::string& trial_id,
                     const std::filesystem::path& mount_directory);
std::filesystem::path trial_folder(const DirectorySpec& spec,
                                   const std::string& trial_id);

/// mkfs.FILESYSTEM with the scenario's arguments, on the image file. ext4 is
/// told to initialise everything now, unless the arguments speak of it: its
/// background thread would write during the measurement.
base::Command mkfs_command(const LoopSpec& spec,
                           const std::filesystem::path& image);

enum class LoopIo { kDirect, kBuffered };

/// Prints the device it has attached the image to.
base::Command attach_command(const std::filesystem::path& image, LoopIo io);
base::Command detach_command(const std::string& device);

/// What mount(8) would be called with.
struct MountRequest {
  std::string filesystem;
  std::string options;
  std::string source;
  std::filesystem::path point;
};
base::Command mount_command(const MountRequest& request);

/// Asks for the version of the program that made the file system.
base::Command mkfs_version_command(const std::string& filesystem);
/// Asks for the features of a mounted file system; nothing if no program is
/// known that tells those of its type.
std::optional<base::Command> features_command(
    const std::string& type, const std::string& device,
    const std::filesystem::path& point);

}  // namespace sidegrade::storage
