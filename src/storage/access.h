#pragma once

#include <filesystem>
#include <optional>

#include "base/user.h"

namespace sidegrade::storage {

/// The first folder on the way to `path` (itself included) that `user` may not
/// search, by the mode bits; nothing if all let it pass. A folder that is not
/// there lets it pass.
std::optional<std::filesystem::path> blocked_at(
    const std::filesystem::path& path, const base::User& user);

}  // namespace sidegrade::storage
