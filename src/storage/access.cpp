#include "storage/access.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace sidegrade::storage {
namespace {

bool may_search(const struct stat& folder, const base::User& user,
                const std::vector<gid_t>& groups) {
  if (user.uid == 0) return true;
  if (folder.st_uid == user.uid) return (folder.st_mode & S_IXUSR) != 0;
  if (std::find(groups.begin(), groups.end(), folder.st_gid) != groups.end()) {
    return (folder.st_mode & S_IXGRP) != 0;
  }
  return (folder.st_mode & S_IXOTH) != 0;
}

}  // namespace

std::optional<std::filesystem::path> blocked_at(
    const std::filesystem::path& path, const base::User& user) {
  const std::vector<gid_t> groups = base::groups_of(user);
  std::filesystem::path folder;
  for (const auto& name : std::filesystem::weakly_canonical(path)) {
    folder /= name;
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) continue;
    if (!may_search(status, user, groups)) return folder;
  }
  return std::nullopt;
}

}  // namespace sidegrade::storage
