#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/unique_fd.h"
#include "host/block.h"
#include "storage/access.h"
#include "storage/commands.h"
#include "storage/loop.h"
#include "storage/mount.h"
#include "storage/removal.h"
#include "storage/target.h"
#include "storage/target_facts.h"

namespace sidegrade::storage {
namespace {

constexpr std::chrono::milliseconds kUnmountPatience{10000};

void make_mount_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw base::Error(
        fmt::format("the folder {} for mount points could not be "
                    "made: {}",
                    path.string(), error.message()));
  }
}

/// To be called before the removal of `path` is promised, which would take away
/// what somebody else put there.
void require_absent(const std::filesystem::path& path) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path))) {
    throw base::Error(
        fmt::format("{} exists already", path.string()),
        "If an earlier run left it, sidegrade restore removes it.");
  }
}

void make_folder(const std::filesystem::path& path, mode_t mode,
                 const base::User& owner) {
  if (mkdir(path.c_str(), 0700) != 0) {
    base::throw_errno(
        fmt::format("the folder {} could not be made", path.string()));
  }
  const base::UniqueFd folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || fchmod(folder.get(), mode) != 0 ||
      fchown(folder.get(), owner.uid, owner.gid) != 0) {
    base::throw_errno(fmt::format("the folder {} could not be given to {}",
                                  path.string(), owner.name));
  }
}

/// Makes the folder for the data; throws Error if `owner` couldn't get there.
void make_data_folder(const std::filesystem::path& path,
                      const base::User& owner) {
  make_folder(path, 0700, owner);
  if (const auto folder = blocked_at(path, owner)) {
    throw base::Error(fmt::format("{} may not pass through {} to {}",
                                  owner.name, folder->string(), path.string()),
                      fmt::format("Allow it: chmod o+x {}.", folder->string()));
  }
}

ProvisionedTarget provision_directory(const DirectorySpec& spec,
                                      const std::string& trial_id,
                                      const base::User& owner,
                                      base::UndoStack& undo) {
  ProvisionedTarget target;
  target.folder = trial_folder(spec, trial_id);
  require_absent(target.folder);
  undo.promise({"directory", {target.folder.string()}});
  make_data_folder(target.folder, owner);
  describe_file_system(target);
  target.facts["filesystem.mkfs_version"] = {
      "", "the file system was made before sidegrade ran"};
  return target;
}

host::Facts make_image(const LoopSpec& spec, const std::filesystem::path& image,
                       base::UndoStack& undo) {
  require_absent(image);
  undo.promise({"file", {image.string()}});
  create_image(image, spec.size_bytes);
  base::run_checked(mkfs_command(spec, image));
  const Allocation allocation = allocate_image(image, spec.size_bytes);
  const auto below = host::mount_of({}, image);
  return {
      {"filesystem.mkfs_version", mkfs_version(spec.filesystem)},
      {"image.allocated",
       {allocation == Allocation::kFull ? "full" : "sparse", ""}},
      {"image.filesystem", {below ? below->type : "", below ? "" : "no mount"}},
      {"image.path", {image.string(), ""}},
      {"image.size_bytes", {std::to_string(spec.size_bytes), ""}},
  };
}

/// The folder of each thing is undone after the thing in it, so what is made
/// first is promised first.
ProvisionedTarget provision_loop(const LoopSpec& spec, const LoopPaths& paths,
                                 const base::User& owner,
                                 base::UndoStack& undo) {
  ProvisionedTarget target;
  target.folder = paths.folder;
  target.facts = make_image(spec, paths.image, undo);
  undo.promise({"loop", {paths.image.string()}});
  const std::string device = attach_loop(paths.image);
  require_absent(paths.mount_point);
  undo.promise({"directory", {paths.mount_point.string()}});
  make_folder(paths.mount_point, 0711, base::current_user());
  undo.promise({"mount", {paths.mount_point.string()}});
  mount_filesystem(
      {spec.filesystem, spec.mount_options, device, paths.mount_point});
  make_data_folder(target.folder, owner);
  describe_file_system(target);
  return target;
}

}  // namespace

HostProvisioner::HostProvisioner(std::filesystem::path mount_directory)
    : mount_directory_(std::move(mount_directory)) {}

ProvisionedTarget HostProvisioner::provision(const TargetSpec& target,
                                             const std::string& trial_id,
                                             const base::User& owner,
                                             base::UndoStack& undo) {
  try {
    if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
      make_mount_directory(mount_directory_);
      return provision_loop(
          *loop, loop_paths(*loop, trial_id, mount_directory_), owner, undo);
    }
    return provision_directory(std::get<DirectorySpec>(target.place), trial_id,
                               owner, undo);
  } catch (const base::Error& error) {
    throw base::Error(fmt::format("target \"{}\" can't be made ready: {}",
                                  target.name, error.what()),
                      error.hint());
  }
}

base::UndoActions undo_actions() {
  using Arguments = std::vector<std::string>;
  return {
      {"directory",
       [](const Arguments& words) { remove_own_folder(words.at(0)); }},
      {"file", [](const Arguments& words) { remove_own_file(words.at(0)); }},
      {"loop", [](const Arguments& words) { detach_loops(words.at(0)); }},
      {"mount",
       [](const Arguments& words) { unmount(words.at(0), kUnmountPatience); }},
  };
}

}  // namespace sidegrade::storage
