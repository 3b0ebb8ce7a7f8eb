#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace sidegrade::postgres {

/// An SQL script read from front to back, by lines or, in COPY data, in large
/// pieces. Read, not mapped: a file that shrinks meanwhile is an early end, not
/// a SIGBUS. Memory: 1 MiB, or twice the longest line.
class ScriptFile {
 public:
  /// Throws Error if it can't be opened or is no regular file.
  explicit ScriptFile(const std::filesystem::path& path);

  /// The next line without its newline; false at the end. Valid until the next
  /// call.
  bool next_line(std::string_view& line);

  /// The next piece of COPY data (whole lines), and whether more follow. The
  /// end marker, a line of `\.`, is consumed and not part of a piece. Valid
  /// until the next call.
  struct CopyPiece {
    std::string_view bytes;
    bool last = false;
    bool marker_found = false;  ///< false with last: the file ended first
  };
  CopyPiece next_copy_piece();

  const std::filesystem::path& path() const { return path_; }
  /// Number of the line returned last (from 1), or of the last COPY line.
  int64_t line_number() const { return line_number_; }
  uint64_t offset() const { return offset_; }  ///< bytes consumed

 private:
  std::string_view unread() const;
  bool fill();
  void consume(size_t bytes, int64_t lines);

  std::filesystem::path path_;
  base::UniqueFd fd_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  int64_t line_number_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace sidegrade::postgres
