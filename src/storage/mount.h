#pragma once

#include <chrono>
#include <filesystem>

#include "storage/commands.h"

namespace sidegrade::storage {

/// Mounts as mount(8) would. Throws Error with libmount's reason.
void mount_filesystem(const MountRequest& request);

/// Unmounts all that is mounted at `point`; does nothing if nothing is. While
/// it is busy it is tried again until `patience` has passed, then an Error says
/// which processes use it.
void unmount(const std::filesystem::path& point,
             std::chrono::milliseconds patience);

/// The mount points at or below `path`.
std::vector<std::filesystem::path> mounts_within(
    const std::filesystem::path& path);

/// Whether `path` is `folder` or lies below it; by their text alone.
bool lies_within(const std::filesystem::path& path,
                 const std::filesystem::path& folder);

}  // namespace sidegrade::storage
