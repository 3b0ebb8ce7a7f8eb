#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace sidegrade::script {

/// PostgreSQL takes no message of 1 GiB.
constexpr size_t kLongestSql = (size_t{1} << 30) - 2;

/// An SQL script read from front to back, by lines or, in COPY data, in large
/// pieces. Read, not mapped: a file that shrinks meanwhile is an error, not a
/// SIGBUS. Memory: 256 KiB, or twice the longest line of SQL.
class File {
 public:
  /// Throws Error if it can't be opened or is no regular file.
  explicit File(const std::filesystem::path& path);

  /// The next line without its newline; false at the end. Valid until the next
  /// call. Throws Error, with file and line, for one that no server takes.
  bool next_line(std::string_view& line);

  /// The next piece of COPY data, and whether more follow. The end marker, a
  /// line of `\.`, is consumed and not part of a piece. Valid until the next
  /// call.
  struct CopyPiece {
    std::string_view bytes;
    bool last = false;
    bool marker_found = false;  ///< false with last: the file ended first
  };
  CopyPiece next_copy_piece();

  /// The next piece of a stretch that ends at offset `end`, unlooked at; empty
  /// there. Valid until the next call. Its lines are not counted.
  std::string_view next_bytes(uint64_t end);
  /// Goes on at `offset`, behind line number `line`.
  void seek(uint64_t offset, int64_t line);

  const std::filesystem::path& path() const { return path_; }
  /// Number of the line returned last (from 1), or of the last COPY line.
  int64_t line_number() const { return line_number_; }
  uint64_t offset() const { return offset_; }  ///< bytes consumed
  uint64_t size() const { return size_; }
  /// "data.sql:48211".
  std::string place(int64_t line) const;

 private:
  std::string_view unread() const;
  bool fill();
  void consume(size_t bytes, int64_t lines);
  size_t whole_lines();
  CopyPiece piece_of_long_line();

  std::filesystem::path path_;
  base::UniqueFd fd_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  bool in_long_line_ = false;  ///< of COPY data: its begin was handed out
  int64_t line_number_ = 0;
  uint64_t offset_ = 0;
  uint64_t size_ = 0;  ///< when it was opened
};

}  // namespace sidegrade::script
