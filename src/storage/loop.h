#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sidegrade::storage {

/// Makes a new file of `size_bytes`, as yet without blocks. Throws Error if
/// something of that name exists.
void create_image(const std::filesystem::path& image, uint64_t size_bytes);

enum class Allocation { kFull, kSparse };

/// Gives every part of the image its blocks, so that the file system below has
/// none to find while a trial is timed; kSparse if that one can't. To be called
/// after mkfs, which punches holes. Throws Error if the disk is full.
Allocation allocate_image(const std::filesystem::path& image,
                          uint64_t size_bytes);

/// Attaches the image, with direct I/O where that is possible, and returns the
/// device ("/dev/loop3"). Throws Error.
std::string attach_loop(const std::filesystem::path& image);

/// The loop devices ("/dev/loop3") that the image is attached to, also after
/// its file was deleted.
std::vector<std::string> loops_of(const std::filesystem::path& image);

/// Detaches the image from every loop device and waits until it is. Throws
/// Error if one is mounted or stays.
void detach_loops(const std::filesystem::path& image);

}  // namespace sidegrade::storage
