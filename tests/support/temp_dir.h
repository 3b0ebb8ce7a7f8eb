#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sidegrade::test {

/// A new folder below /tmp that other accounts may enter; removed with all in
/// it.
class TempDir {
 public:
  TempDir() {
    std::string pattern = "/tmp/sidegrade-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  /// Writes a file of this text and returns its path.
  std::filesystem::path file(const std::string& name,
                             const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace sidegrade::test
