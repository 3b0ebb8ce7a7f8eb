#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/process.h"
#include "base/undo.h"
#include "base/user.h"
#include "host/facts.h"

namespace sidegrade::storage {

/// A directory on a file system that is mounted already. Only a folder of our
/// own inside it is made and removed.
struct DirectorySpec {
  std::filesystem::path path;
};

/// A file system of our own in an image file, mounted through a loop device.
struct LoopSpec {
  uint64_t size_bytes = 0;
  std::string filesystem;  ///< "ext3": mkfs.ext3 makes it
  std::vector<std::string> mkfs_arguments;
  std::string mount_options;  ///< as behind mount -o
  std::filesystem::path image_directory;
};

/// A place where the data directory lives, as the scenario describes it.
/// Further kinds (block device, md array) become further alternatives.
struct TargetSpec {
  std::string name;
  std::variant<DirectorySpec, LoopSpec> place;
};

/// A target made ready: a folder of our own on it, and what is known of it.
struct ProvisionedTarget {
  std::filesystem::path folder;      ///< empty, mode 0700, belongs to `owner`
  std::vector<std::string> devices;  ///< under it, the top one first
  host::Facts facts;  ///< mount options, mkfs version and features …
};

/// Makes a target ready for one trial. Each deed is promised on `undo` first,
/// so that unwinding the stack (or `sidegrade restore`) leaves nothing behind.
class Provisioner {
 public:
  virtual ~Provisioner() = default;
  /// `trial_id` names the folder and the image. Throws Error naming the target
  /// and what failed.
  virtual ProvisionedTarget provision(const TargetSpec& target,
                                      const std::string& trial_id,
                                      const base::User& owner,
                                      base::UndoStack& undo) = 0;
};

/// The real one: directories, mkfs, loop devices, mounts. Mount points are made
/// in `mount_directory`, which is made if it is missing, and stays.
class HostProvisioner : public Provisioner {
 public:
  explicit HostProvisioner(std::filesystem::path mount_directory);
  ProvisionedTarget provision(const TargetSpec& target,
                              const std::string& trial_id,
                              const base::User& owner,
                              base::UndoStack& undo) override;

 private:
  std::filesystem::path mount_directory_;
};

/// The commands that provision() would execute, in order, as a shell would show
/// them; for `check`. Steps done by system calls are shown as their command.
std::vector<std::string> planned_commands(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory);

/// The commands that unwinding it would come to, likewise.
std::vector<std::string> planned_teardown(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory);

/// The folder that provision() would hand out.
std::filesystem::path planned_folder(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory);

/// What stands in the way of this target, found without touching it: missing
/// tools, no root, a folder that isn't there or isn't writable for `owner`.
struct Obstacle {
  std::string sentence;
  std::string next_step;
};
std::vector<Obstacle> obstacles(const TargetSpec& target,
                                const base::User& owner);

/// Bytes that a data directory on the target could fill at most, before mkfs
/// has taken its part; of a directory: what is free now.
uint64_t usable_bytes(const TargetSpec& target);

/// The file whose lock keeps a second run off this target.
std::filesystem::path lock_path(const TargetSpec& target);

/// The folder in which the target's data (or image) will lie.
std::filesystem::path backing_directory(const TargetSpec& target);

/// How what this module does is undone, once or again: `loop IMAGE`, `mount
/// POINT`, `file PATH`, `directory PATH` (removes our folder and all in it,
/// never across a mount).
base::UndoActions undo_actions();

}  // namespace sidegrade::storage
