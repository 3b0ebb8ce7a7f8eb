#pragma once

#include <filesystem>

namespace sidegrade::storage {

/// Removes a folder that sidegrade made, with all in it; does nothing if it is
/// not there. `path` is absolute and free of symbolic links. Throws Error, and
/// leaves all as it is, if its name does not begin with "sidegrade-", if it or
/// a folder above has become a symbolic link, or if anything is mounted at or
/// below it. Never leaves its file system.
void remove_own_folder(const std::filesystem::path& path);

/// Removes an image file under the same conditions, unless a loop device has
/// it.
void remove_own_file(const std::filesystem::path& path);

}  // namespace sidegrade::storage
