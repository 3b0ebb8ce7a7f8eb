#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "support/temp_dir.h"

namespace sidegrade::workload {

/// A folder of sources beside an empty cache.
class CacheFolder {
 public:
  CacheFolder() { std::filesystem::create_directory(cache()); }

  const test::TempDir& dir() const { return dir_; }
  std::filesystem::path cache() const { return dir_ / "cache"; }
  /// Names of the files in the cache, sorted.
  std::vector<std::string> cached() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cache())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  test::TempDir dir_;
};

/// The sentence of the Error that `deed` throws.
template <typename Deed>
std::string complaint_of(Deed deed) {
  try {
    deed();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace sidegrade::workload
