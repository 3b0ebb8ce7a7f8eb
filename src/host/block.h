#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"

namespace sidegrade::host {

/// A block device as the kernel names it, and what it stands on.
struct BlockDevice {
  std::string name;  ///< "sda1", "md127", "loop0"
  std::string kind;  ///< "disk", "partition", "loop", "md" or "dm"
  std::vector<std::string> below;  ///< md members, a partition's disk, a loop's
                                   ///< backing device: names
};

/// The devices under the file system that holds `path`, the top one first, each
/// once: md and dm to their members, a loop device to the disk that holds its
/// file, a partition to its disk. Empty if none is behind it (tmpfs, overlay).
std::vector<BlockDevice> devices_under(const Root& root,
                                       const std::filesystem::path& path);

/// The device of this kernel name, or nothing if there is none.
std::optional<BlockDevice> find_device(const Root& root,
                                       const std::string& name);

/// Facts of one device, named without prefix: `kind`, `model`, `serial`, `wwn`,
/// `size_bytes`, `scheduler`, `read_ahead_kb`, `nr_requests`, `rotational`,
/// `write_cache`, `logical_block_size`, `md.level`, `md.members`,
/// `loop.backing_file`, `loop.direct_io` …; only those that its kind has. An md
/// array's `md.sync_action` and `md.degraded` tell of a resync.
Facts device_facts(const Root& root, const BlockDevice& device);

/// A mounted file system as /proc/self/mountinfo tells it.
struct Mount {
  std::string device_number;  ///< "8:1"
  std::filesystem::path point;
  std::string type;
  std::string source;
  std::string options;  ///< of the mount and the file system, with commas
};

/// The mounts that this process sees, in the kernel's order. Throws Error if
/// mountinfo can't be read.
std::vector<Mount> mounts(const Root& root);
/// The mount that holds `path` (the longest mount point above it, the last
/// mounted one of equals).
std::optional<Mount> mount_of(const Root& root,
                              const std::filesystem::path& path);

}  // namespace sidegrade::host
