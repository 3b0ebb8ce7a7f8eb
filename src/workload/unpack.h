#pragma once

#include <filesystem>

#include "base/interrupt.h"

namespace sidegrade::workload {

/// Whether the file's first bytes, not its name, say that it is compressed by
/// gzip, zstd, xz, lz4 or bzip2. False of a folder.
bool is_compressed(const std::filesystem::path& file);

/// Where the decompressed bytes of `source` lie in the cache, whether they do
/// already or not.
std::filesystem::path unpacked_file(const std::filesystem::path& source,
                                    const std::filesystem::path& cache);

/// Decompresses `source` into the cache, unless it is there whole, and returns
/// where. Throws Error naming the source if it is cut short or damaged, or
/// Interrupted; then the cache holds nothing of it.
std::filesystem::path unpack(const std::filesystem::path& source,
                             const std::filesystem::path& cache,
                             const base::Interrupt& interrupt);

}  // namespace sidegrade::workload
