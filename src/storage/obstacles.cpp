#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "storage/access.h"
#include "storage/commands.h"
#include "storage/target.h"

namespace sidegrade::storage {
namespace {

using Obstacles = std::vector<Obstacle>;

std::optional<struct statvfs> space_of(const std::filesystem::path& path) {
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0) return std::nullopt;
  return space;
}

uint64_t free_bytes(const struct statvfs& space) {
  return uint64_t{space.f_bavail} * space.f_frsize;
}

std::string in_bytes(uint64_t bytes) {
  return base::format_bytes(static_cast<double>(bytes));
}

bool is_installed(const std::string& program) {
  if (base::find_program(program)) return true;
  // An ordinary user's PATH often lacks it, root's has it.
  return !base::running_as_root() &&
         base::find_program("/usr/sbin/" + program).has_value();
}

void look_for_program(const std::string& program, const std::string& package,
                      Obstacles& found) {
  if (is_installed(program)) return;
  found.push_back(
      {fmt::format("{} is not installed", program),
       package.empty()
           ? fmt::format("Install the package that has {}.", program)
           : fmt::format("Install it: apt-get install {}.", package)});
}

/// Whether the kernel has the file system, or a module that it would load.
bool kernel_knows(const std::string& filesystem) {
  for (const std::string& word : base::split_words(
           base::try_read_file("/proc/filesystems").value_or(""))) {
    if (word == filesystem) return true;
  }
  const std::filesystem::path aliases = std::filesystem::path("/lib/modules") /
                                        host::kernel_release() /
                                        "modules.alias";
  return base::try_read_file(aliases).value_or("").find(
             fmt::format("alias fs-{} ", filesystem)) != std::string::npos;
}

void look_at_file_system(const LoopSpec& spec, Obstacles& found) {
  const FilesystemKind kind = filesystem_kind(spec.filesystem);
  look_for_program("mkfs." + spec.filesystem, kind.package, found);
  if (!kernel_knows(spec.filesystem)) {
    found.push_back(
        {fmt::format("this kernel does not know the file system {}",
                     spec.filesystem),
         "Boot a kernel that has it, or choose another file system."});
  }
  if (spec.size_bytes < kind.minimum_bytes) {
    found.push_back({fmt::format("{} is too small for {}, which needs {}",
                                 in_bytes(spec.size_bytes), spec.filesystem,
                                 in_bytes(kind.minimum_bytes)),
                     "Raise the target's size in the scenario."});
  }
}

void look_at_image_directory(const LoopSpec& spec, Obstacles& found) {
  const std::string directory = spec.image_directory.string();
  const auto space = space_of(spec.image_directory);
  if (!space || !std::filesystem::is_directory(spec.image_directory)) {
    found.push_back({fmt::format("the image folder {} is not there", directory),
                     "Create it, or name another image_dir."});
    return;
  }
  if ((space->f_flag & ST_RDONLY) != 0) {
    found.push_back({fmt::format("{} is mounted read-only", directory),
                     "Name an image_dir that can be written to."});
  }
  if (free_bytes(*space) < spec.size_bytes) {
    found.push_back(
        {fmt::format("{} has {} free, the image needs {}", directory,
                     in_bytes(free_bytes(*space)), in_bytes(spec.size_bytes)),
         "Make room there, name another image_dir, or make the target "
         "smaller."});
  }
}

Obstacles loop_obstacles(const LoopSpec& spec) {
  Obstacles found;
  if (!base::running_as_root()) {
    found.push_back({"only root may attach a loop device and mount it",
                     "Run sidegrade with sudo, or use a target with path:."});
  }
  look_for_program("losetup", "mount", found);
  look_at_file_system(spec, found);
  look_at_image_directory(spec, found);
  return found;
}

/// As an ordinary user: what only root could do with the folder.
void look_at_own_rights(const std::filesystem::path& path,
                        const base::User& owner, Obstacles& found) {
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    found.push_back({fmt::format("{} is not writable for you", path.string()),
                     "Run sidegrade with sudo, or name another folder."});
  }
  if (owner.uid != geteuid()) {
    found.push_back(
        {fmt::format("only root can hand a folder to {}", owner.name),
         "Run sidegrade with sudo, or leave run_as out."});
  }
}

Obstacles directory_obstacles(const DirectorySpec& spec,
                              const base::User& owner) {
  const std::string path = spec.path.string();
  const auto space = space_of(spec.path);
  if (!space) {
    return {{fmt::format("{} can't be used: {}", path, base::errno_text(errno)),
             "Create it, or correct the target's path."}};
  }
  if (!std::filesystem::is_directory(spec.path)) {
    return {{fmt::format("{} is not a directory", path),
             "Correct the target's path."}};
  }
  Obstacles found;
  if ((space->f_flag & ST_RDONLY) != 0) {
    found.push_back({fmt::format("{} is mounted read-only", path),
                     "Mount it writable, or name another folder."});
  }
  if (const auto folder = blocked_at(spec.path, owner)) {
    found.push_back({fmt::format("{} may not pass through {}", owner.name,
                                 folder->string()),
                     fmt::format("Allow it: chmod o+x {}.", folder->string())});
  }
  if (!base::running_as_root()) look_at_own_rights(spec.path, owner, found);
  return found;
}

}  // namespace

std::vector<Obstacle> obstacles(const TargetSpec& target,
                                const base::User& owner) {
  Obstacles found;
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    found = loop_obstacles(*loop);
  } else {
    found = directory_obstacles(std::get<DirectorySpec>(target.place), owner);
  }
  for (Obstacle& obstacle : found) {
    obstacle.sentence =
        fmt::format("target \"{}\": {}", target.name, obstacle.sentence);
  }
  return found;
}

uint64_t usable_bytes(const TargetSpec& target) {
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    return loop->size_bytes;
  }
  const auto& directory = std::get<DirectorySpec>(target.place);
  const auto space = space_of(directory.path);
  if (!space) {
    base::throw_errno(
        fmt::format("the free space of target \"{}\", {}, can't be "
                    "read",
                    target.name, directory.path.string()));
  }
  return free_bytes(*space);
}

}  // namespace sidegrade::storage
