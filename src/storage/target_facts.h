#pragma once

#include <filesystem>
#include <string>

#include "host/facts.h"
#include "storage/target.h"

namespace sidegrade::storage {

/// Of the mounted file system that holds target.folder: `mount.*`,
/// `filesystem.*` and, for each device under it, `block.NAME.*`; sets
/// target.devices too.
void describe_file_system(ProvisionedTarget& target);

/// The first line that mkfs.FILESYSTEM -V prints.
host::Fact mkfs_version(const std::string& filesystem);

/// The features in what `dumpe2fs -h` prints; the empty text if there are none.
std::string ext_features(const std::string& dumpe2fs_output);

/// What xfs_info prints, on one line and without the device's name.
std::string xfs_features(const std::string& xfs_info_output);

}  // namespace sidegrade::storage
