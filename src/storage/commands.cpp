#include "storage/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sidegrade::storage {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr std::string_view kExt4Initialise =
    "lazy_itable_init=0,lazy_journal_init=0";

const std::map<std::string, FilesystemKind>& known_kinds() {
  static const std::map<std::string, FilesystemKind> kinds = {
      {"ext2", {{"-q", "-F"}, "e2fsprogs", 8 * kMiB}},
      {"ext3", {{"-q", "-F"}, "e2fsprogs", 8 * kMiB}},
      {"ext4", {{"-q", "-F"}, "e2fsprogs", 8 * kMiB}},
      {"xfs", {{"-q", "-f"}, "xfsprogs", 300 * kMiB}},
      {"btrfs", {{"-q", "-f"}, "btrfs-progs", 110 * kMiB}},
      {"f2fs", {{"-q", "-f"}, "f2fs-tools", 40 * kMiB}},
  };
  return kinds;
}

/// `path` without symbolic links, as far as it can be looked at.
std::filesystem::path resolved(const std::filesystem::path& path) {
  const std::filesystem::path absolute =
      std::filesystem::absolute(path).lexically_normal();
  std::error_code unreadable;
  const auto canonical =
      std::filesystem::weakly_canonical(absolute, unreadable);
  return unreadable ? absolute : canonical;
}

/// mke2fs heeds only its last -E, so ours joins the scenario's.
void add_ext4_initialisation(std::vector<std::string>& arguments) {
  const auto speaks_of_it = [](const std::string& argument) {
    return argument.find("lazy_itable_init") != std::string::npos ||
           argument.find("lazy_journal_init") != std::string::npos;
  };
  if (std::any_of(arguments.begin(), arguments.end(), speaks_of_it)) return;
  const auto last = std::find_if(
      arguments.rbegin(), arguments.rend(),
      [](const std::string& word) { return word.starts_with("-E"); });
  if (last == arguments.rend()) {
    arguments.insert(arguments.end(), {"-E", std::string(kExt4Initialise)});
    return;
  }
  const bool value_is_next_word = *last == "-E" && last != arguments.rbegin();
  std::string& value = value_is_next_word ? *std::prev(last) : *last;
  value += fmt::format(",{}", kExt4Initialise);
}

std::vector<std::string> shell_lines(
    const std::vector<base::Command>& commands) {
  std::vector<std::string> lines;
  std::transform(commands.begin(), commands.end(), std::back_inserter(lines),
                 base::to_shell_text);
  return lines;
}

std::vector<std::string> planned_loop(const LoopSpec& spec,
                                      const LoopPaths& paths) {
  const std::string size = std::to_string(spec.size_bytes);
  const std::string image = paths.image.string();
  const std::string point = paths.mount_point.string();
  const std::vector<base::Command> commands = {
      {.argv = {"truncate", "-s", size, image}},
      mkfs_command(spec, paths.image),
      {.argv = {"fallocate", "-l", size, image}},
      mkfs_version_command(spec.filesystem),
      attach_command(paths.image, LoopIo::kDirect),
      {.argv = {"mkdir", "-p", "-m", "0711", point}},
      mount_command({spec.filesystem, spec.mount_options, "/dev/loopN",
                     paths.mount_point}),
      {.argv = {"mkdir", "-m", "0700", paths.folder.string()}},
  };
  std::vector<std::string> lines = shell_lines(commands);
  if (const auto features =
          features_command(spec.filesystem, "/dev/loopN", paths.mount_point)) {
    lines.push_back(base::to_shell_text(*features));
  }
  return lines;
}

}  // namespace

FilesystemKind filesystem_kind(const std::string& filesystem) {
  const auto kind = known_kinds().find(filesystem);
  return kind == known_kinds().end() ? FilesystemKind{} : kind->second;
}

LoopPaths loop_paths(const LoopSpec& spec, const std::string& trial_id,
                     const std::filesystem::path& mount_directory) {
  const std::string name = "sidegrade-" + trial_id;
  const std::filesystem::path point = resolved(mount_directory) / name;
  return {resolved(spec.image_directory) / (name + ".img"), point,
          point / "data"};
}

std::filesystem::path trial_folder(const DirectorySpec& spec,
                                   const std::string& trial_id) {
  return resolved(spec.path) / ("sidegrade-" + trial_id);
}

base::Command mkfs_command(const LoopSpec& spec,
                           const std::filesystem::path& image) {
  std::vector<std::string> argv = {"mkfs." + spec.filesystem};
  const FilesystemKind kind = filesystem_kind(spec.filesystem);
  argv.insert(argv.end(), kind.mkfs_flags.begin(), kind.mkfs_flags.end());
  std::vector<std::string> arguments = spec.mkfs_arguments;
  if (spec.filesystem == "ext4") add_ext4_initialisation(arguments);
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.push_back(image.string());
  return {.argv = argv};
}

base::Command attach_command(const std::filesystem::path& image, LoopIo io) {
  std::vector<std::string> argv = {"losetup", "--find", "--show"};
  if (io == LoopIo::kDirect) argv.emplace_back("--direct-io=on");
  argv.push_back(image.string());
  return {.argv = argv};
}

base::Command detach_command(const std::string& device) {
  return {.argv = {"losetup", "-d", device}};
}

base::Command mkfs_version_command(const std::string& filesystem) {
  return {.argv = {"mkfs." + filesystem, "-V"}};
}

std::optional<base::Command> features_command(
    const std::string& type, const std::string& device,
    const std::filesystem::path& point) {
  if (type == "ext2" || type == "ext3" || type == "ext4") {
    return base::Command{.argv = {"dumpe2fs", "-h", device}};
  }
  if (type == "xfs") {
    return base::Command{.argv = {"xfs_info", point.string()}};
  }
  return std::nullopt;
}

base::Command mount_command(const MountRequest& request) {
  std::vector<std::string> argv = {"mount", "-t", request.filesystem};
  if (!request.options.empty()) {
    argv.insert(argv.end(), {"-o", request.options});
  }
  argv.insert(argv.end(), {request.source, request.point.string()});
  return {.argv = argv};
}

std::vector<std::string> planned_commands(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory) {
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    return planned_loop(*loop, loop_paths(*loop, trial_id, mount_directory));
  }
  const auto& directory = std::get<DirectorySpec>(target.place);
  return {base::to_shell_text(
      {.argv = {"mkdir", "-m", "0700",
                trial_folder(directory, trial_id).string()}})};
}

std::vector<std::string> planned_teardown(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory) {
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    const LoopPaths paths = loop_paths(*loop, trial_id, mount_directory);
    return shell_lines({{.argv = {"umount", paths.mount_point.string()}},
                        {.argv = {"rmdir", paths.mount_point.string()}},
                        detach_command("/dev/loopN"),
                        {.argv = {"rm", paths.image.string()}}});
  }
  const auto& directory = std::get<DirectorySpec>(target.place);
  return shell_lines({{.argv = {"rm", "-r", "--one-file-system",
                                trial_folder(directory, trial_id).string()}}});
}

std::filesystem::path planned_folder(
    const TargetSpec& target, const std::string& trial_id,
    const std::filesystem::path& mount_directory) {
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    return loop_paths(*loop, trial_id, mount_directory).folder;
  }
  return trial_folder(std::get<DirectorySpec>(target.place), trial_id);
}

std::filesystem::path backing_directory(const TargetSpec& target) {
  if (const auto* loop = std::get_if<LoopSpec>(&target.place)) {
    return loop->image_directory;
  }
  return std::get<DirectorySpec>(target.place).path;
}

std::filesystem::path lock_path(const TargetSpec& target) {
  const std::filesystem::path directory = resolved(backing_directory(target));
  if (std::holds_alternative<LoopSpec>(target.place)) {
    return directory / fmt::format(".sidegrade-{}.lock", target.name);
  }
  return directory / ".sidegrade.lock";
}

}  // namespace sidegrade::storage
