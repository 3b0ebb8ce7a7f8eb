#include "storage/removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "storage/loop.h"
#include "storage/mount.h"

namespace sidegrade::storage {
namespace {

using base::UniqueFd;

/// A thing by the folder that holds it and its name there, so that no symbolic
/// link can be put between looking and removing.
struct Place {
  UniqueFd parent;
  std::string name;
  struct stat status {};
};

[[noreturn]] void refuse(const std::filesystem::path& path,
                         const std::string& reason) {
  throw base::Error(
      fmt::format("{} was not removed: {}", path.string(), reason),
      "Look at it; if it is not needed, remove it yourself.");
}

[[noreturn]] void fail(const std::filesystem::path& path) {
  base::throw_errno(fmt::format("{} could not be removed", path.string()));
}

/// The folder that holds `path`, reached without any symbolic link; none if it
/// is not there.
UniqueFd open_parent(const std::filesystem::path& path) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(open("/", kFlags));
  for (const auto& name : path.parent_path().relative_path()) {
    UniqueFd next(openat(folder.get(), name.c_str(), kFlags));
    if (!next && errno == ENOENT) return {};
    if (!next)
      refuse(path, fmt::format("{} is no plain folder", name.string()));
    folder = std::move(next);
  }
  return folder;
}

std::optional<Place> find_own(const std::filesystem::path& path) {
  Place place;
  place.name = path.filename().string();
  if (!path.is_absolute() || !place.name.starts_with("sidegrade-")) {
    refuse(path, "its name is not one that sidegrade gives");
  }
  place.parent = open_parent(path);
  if (!place.parent) return std::nullopt;
  if (fstatat(place.parent.get(), place.name.c_str(), &place.status,
              AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail(path);
  }
  return place;
}

std::vector<std::string> names_in(int folder,
                                  const std::filesystem::path& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(
      fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      closedir);
  if (!listing) fail(path);
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): each stream has one reader
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

/// Removes `name` of the folder `parent` and all in it, as long as that lies on
/// `device`; `path` is for messages.
void remove_at(int parent, const std::string& name, dev_t device,
               const std::filesystem::path& path) {
  struct stat status {};
  if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  int flags = 0;
  if (S_ISDIR(status.st_mode)) {
    const UniqueFd folder(openat(
        parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder || fstat(folder.get(), &status) != 0) fail(path);
    if (status.st_dev != device) refuse(path, "it is another file system");
    for (const std::string& inner : names_in(folder.get(), path)) {
      remove_at(folder.get(), inner, device, path / inner);
    }
    flags = AT_REMOVEDIR;
  }
  if (unlinkat(parent, name.c_str(), flags) != 0 && errno != ENOENT) fail(path);
}

}  // namespace

void remove_own_folder(const std::filesystem::path& path) {
  const std::optional<Place> place = find_own(path);
  if (!place) return;
  if (!S_ISDIR(place->status.st_mode)) {
    refuse(path, "it is no longer the folder that sidegrade made");
  }
  if (const auto points = mounts_within(path); !points.empty()) {
    refuse(path, fmt::format("{} is a mount point", points.front().string()));
  }
  remove_at(place->parent.get(), place->name, place->status.st_dev, path);
}

void remove_own_file(const std::filesystem::path& path) {
  const std::optional<Place> place = find_own(path);
  if (!place) return;
  if (!S_ISREG(place->status.st_mode)) {
    refuse(path, "it is no longer the file that sidegrade made");
  }
  if (const auto devices = loops_of(path); !devices.empty()) {
    refuse(path, fmt::format("it is attached to {}", devices.front()));
  }
  remove_at(place->parent.get(), place->name, place->status.st_dev, path);
}

}  // namespace sidegrade::storage
