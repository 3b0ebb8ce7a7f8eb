#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sidegrade::base {

/// An account of this machine.
struct User {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
};

/// The account `name`, or nothing if there is none.
std::optional<User> find_user(const std::string& name);

/// The account this process runs as; an id without an account is its number.
User current_user();

/// The ids of all groups that `user` belongs to, the primary one included.
std::vector<gid_t> groups_of(const User& user);

bool running_as_root();

}  // namespace sidegrade::base
