#pragma once

#include <filesystem>
#include <string>

namespace sidegrade::workload {

/// Makes the folder, if it can: whoever writes into it hears why not.
void make_cache(const std::filesystem::path& cache);

/// Whether a file of the cache is all there: its hash, written beside it once
/// it was complete, is still its own.
bool is_whole(const std::filesystem::path& file);

/// Writes the hash of `file` beside it, which makes it whole.
void note_whole(const std::filesystem::path& file);

/// How the file that is made of `source` (a file, or a folder of files) is
/// called in the cache, but for its ending: NAME-HASH, of the source's bytes
/// and of `how`, whatever else decides the result.
std::string cache_name(const std::filesystem::path& source,
                       const std::string& how);

}  // namespace sidegrade::workload
