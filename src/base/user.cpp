#include "base/user.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace sidegrade::base {
namespace {

User from_entry(const passwd& entry) {
  return {entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir};
}

}  // namespace

std::optional<User> find_user(const std::string& name) {
  // One thread looks accounts up, so the static buffer is not shared.
  const passwd* entry =
      getpwnam(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (entry == nullptr) return std::nullopt;
  return from_entry(*entry);
}

User current_user() {
  const passwd* entry = getpwuid(geteuid());  // NOLINT(concurrency-mt-unsafe)
  if (entry != nullptr) return from_entry(*entry);
  return {std::to_string(geteuid()), geteuid(), getegid(), "/"};
}

std::vector<gid_t> groups_of(const User& user) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<size_t>(count));
  while (getgrouplist(user.name.c_str(), user.gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<size_t>(count));
  }
  groups.resize(static_cast<size_t>(count));
  return groups;
}

bool running_as_root() { return geteuid() == 0; }

}  // namespace sidegrade::base
