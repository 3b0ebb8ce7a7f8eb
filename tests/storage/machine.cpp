#include "storage/machine.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "storage/mount.h"

namespace sidegrade::storage::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name =
      fs::canonical(fs::temp_directory_path()) / "storage-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) base::throw_errno(name);
  path_ = name;
  chmod(path_.c_str(), 0755);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  // What a failed test left mounted is not to be emptied.
  if (mounts_within(path_).empty()) fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::folder(const std::string& name) const {
  fs::create_directories(path_ / name);
  return path_ / name;
}

FakeProgram::FakeProgram(const TemporaryFolder& folder, const std::string& name,
                         const std::string& shell_text)
    : old_path_(std::getenv("PATH")) {
  const fs::path programs = folder.folder("programs");
  std::ofstream(programs / name) << "#!/bin/sh\n" << shell_text << "\n";
  chmod((programs / name).c_str(), 0755);
  setenv("PATH", (programs.string() + ":" + old_path_).c_str(), 1);
}

FakeProgram::~FakeProgram() { setenv("PATH", old_path_.c_str(), 1); }

std::string why_no_loops(const std::string& filesystem) {
  if (!base::running_as_root()) return "loop devices and mounts need root";
  if (!fs::exists("/dev/loop-control")) return "there is no /dev/loop-control";
  if (!base::find_program("mkfs." + filesystem)) {
    return "mkfs." + filesystem + " is not installed";
  }
  const std::string known = base::read_file("/proc/filesystems");
  if (known.find("\t" + filesystem + "\n") == std::string::npos) {
    return "/proc/filesystems has no " + filesystem;
  }
  return "";
}

base::User ordinary_user() { return base::find_user("nobody").value(); }

TargetSpec loop_target(const std::string& filesystem, uint64_t size_bytes,
                       const fs::path& image_directory) {
  return {"target-" + filesystem, LoopSpec{.size_bytes = size_bytes,
                                           .filesystem = filesystem,
                                           .mkfs_arguments = {},
                                           .mount_options = "noatime",
                                           .image_directory = image_directory}};
}

std::vector<std::string> leftovers(const fs::path& folder) {
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("sidegrade-")) {
      left.push_back(entry.path());
    }
  }
  for (const auto& point : mounts_within(folder)) left.push_back(point);
  for (const auto& device : fs::directory_iterator("/sys/block")) {
    const auto file =
        base::try_read_file(device.path() / "loop" / "backing_file");
    if (file && file->starts_with(folder.string() + "/")) left.push_back(*file);
  }
  return left;
}

}  // namespace sidegrade::storage::test
