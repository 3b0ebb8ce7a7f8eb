#include "workload/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;

fs::path hash_file(const fs::path& file) { return file.string() + ".sha256"; }

std::string hash_of(const fs::path& source) {
  if (!fs::is_directory(source)) return base::sha256_of_file(source);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(source)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(entry.path().filename().string() + " " +
                    base::sha256_of_file(entry.path()) + "\n");
  }
  std::sort(files.begin(), files.end());
  std::string listing;
  for (const std::string& file : files) listing += file;
  return base::sha256_of_text(listing);
}

}  // namespace

void make_cache(const fs::path& cache) {
  std::error_code ignored;
  fs::create_directories(cache, ignored);
}

bool is_whole(const fs::path& file) {
  const auto noted = base::try_read_file(hash_file(file));
  return noted && fs::exists(file) && *noted == base::sha256_of_file(file);
}

void note_whole(const fs::path& file) {
  base::AtomicFile hash(hash_file(file));
  hash.write(base::sha256_of_file(file));
  hash.commit();
}

std::string cache_name(const fs::path& source, const std::string& how) {
  const fs::path path = source.has_filename() ? source : source.parent_path();
  const std::string name = path.filename().string();
  const std::string hash = base::sha256_of_text(hash_of(source) + " " + how);
  return fmt::format("{}-{}", name.substr(0, name.find('.', 1)),
                     hash.substr(0, 12));
}

}  // namespace sidegrade::workload
