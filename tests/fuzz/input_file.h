#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/unique_fd.h"

namespace sidegrade::fuzz {

/// Ends the program, as libFuzzer wants it, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// One input after the other as script.sql, alone in a new folder below TMPDIR.
/// That is the working directory from then on, so a script that names files
/// finds itself and nothing else. Removed at a normal end.
class InputFile {
 public:
  InputFile() : folder_(make_folder()), path_(folder_ / "script.sql") {
    std::filesystem::current_path(folder_);
    fd_.reset(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd_) base::throw_errno(path_.string() + " could not be made");
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  void write(std::string_view bytes) {
    const auto size = static_cast<off_t>(bytes.size());
    if (pwrite(fd_.get(), bytes.data(), bytes.size(), 0) != size ||
        ftruncate(fd_.get(), size) != 0) {
      base::throw_errno(path_.string() + " could not be written");
    }
  }

 private:
  static std::filesystem::path make_folder() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "sidegrade-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      base::throw_errno(pattern + " could not be made");
    }
    return pattern;
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
  base::UniqueFd fd_;
};

}  // namespace sidegrade::fuzz
