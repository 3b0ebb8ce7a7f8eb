#include "script/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sidegrade::script {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
/// What goes to the server at once; larger pieces gain nothing
/// (docs/benchmarks.md). libpq puts 5 bytes before it and sends multiples of
/// 8 KiB, so that nothing is left over for a call of its own.
constexpr size_t kCopyPieceBytes = (size_t{64} << 10) - 5;

/// Whether `text`, from the start of a line, begins with the line `\.`.
bool begins_with_end_marker(std::string_view text) {
  if (!text.starts_with("\\.")) return false;
  const std::string_view rest = text.substr(2);
  return rest.empty() || rest.starts_with('\n') || rest.starts_with("\r\n") ||
         rest == "\r";
}

struct CopyLines {
  size_t end = 0;     ///< where the end marker begins, or the text ends
  int64_t lines = 0;  ///< before it
};

/// One pass for both: looking at every byte is much of what a client costs.
CopyLines scan_copy_lines(std::string_view text) {
  CopyLines scanned;
  while (!begins_with_end_marker(text.substr(scanned.end))) {
    const size_t newline = text.find('\n', scanned.end);
    if (newline == std::string_view::npos) {
      const bool unended_line = scanned.end < text.size();
      return {text.size(), scanned.lines + (unended_line ? 1 : 0)};
    }
    scanned.end = newline + 1;
    ++scanned.lines;
  }
  return scanned;
}

}  // namespace

File::File(const std::filesystem::path& path)
    : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (!fd_ || fstat(fd_.get(), &status) != 0) {
    base::throw_errno(fmt::format("{} could not be opened", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw base::Error(fmt::format("{} is not a regular file", path.string()));
  }
  size_ = static_cast<uint64_t>(status.st_size);
  posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  buffer_.resize(kBufferBytes);
}

std::string File::place(int64_t line) const {
  return fmt::format("{}:{}", path_.filename().string(), line);
}

std::string_view File::unread() const {
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

/// Reads on behind what is unread, making room first. False: the file ended.
bool File::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const ssize_t count =
      read(fd_.get(), buffer_.data() + end_, buffer_.size() - end_);
  if (count < 0) {
    base::throw_errno(fmt::format("{} could not be read", path_.string()));
  }
  end_ += static_cast<size_t>(count);
  at_end_ = count == 0;
  const uint64_t seen = offset_ + (end_ - begin_);
  if (at_end_ && seen < size_) {
    throw base::Error(
        fmt::format("{}: the file shrank from {} to {} bytes while it was read",
                    place(line_number_ + 1), size_, seen),
        "Leave the inputs alone while a run goes on; begin the run again.");
  }
  return !at_end_;
}

void File::consume(size_t bytes, int64_t lines) {
  begin_ += bytes;
  offset_ += bytes;
  line_number_ += lines;
}

bool File::next_line(std::string_view& line) {
  size_t searched = 0;
  for (;;) {
    const std::string_view text = unread();
    const size_t newline = text.find('\n', searched);
    if (newline != std::string_view::npos) {
      line = text.substr(0, newline);
      consume(newline + 1, 1);
      return true;
    }
    searched = text.size();
    if (searched > kLongestSql) {
      throw base::Error(fmt::format("{}: the line is longer than the 1 GiB "
                                    "that PostgreSQL takes at once",
                                    place(line_number_ + 1)),
                        "Is this a file of SQL text?");
    }
    if (fill()) continue;
    line = unread();
    if (line.empty()) return false;
    consume(line.size(), 1);
    return true;
  }
}

/// How many bytes of unread() to look at next: whole lines, at most a piece;
/// all that is left at the end of the file; none if a line exceeds a piece.
size_t File::whole_lines() {
  while (unread().size() < kCopyPieceBytes && fill()) {
  }
  const std::string_view text = unread().substr(0, kCopyPieceBytes);
  if (text.size() < kCopyPieceBytes) return text.size();
  return text.rfind('\n') + 1;  // npos + 1: none
}

/// A line of COPY data that exceeds a piece goes on as it is: it can't be the
/// end marker.
File::CopyPiece File::piece_of_long_line() {
  if (unread().empty()) fill();
  const std::string_view text = unread().substr(0, kCopyPieceBytes);
  const size_t newline = text.find('\n');
  const bool at_newline = newline != std::string_view::npos;
  in_long_line_ = !at_newline && !text.empty();
  const std::string_view piece =
      text.substr(0, at_newline ? newline + 1 : newline);
  consume(piece.size(), in_long_line_ ? 0 : 1);
  return {piece, text.empty(), false};
}

File::CopyPiece File::next_copy_piece() {
  if (in_long_line_) return piece_of_long_line();
  const size_t whole = whole_lines();
  if (whole == 0 && !unread().empty()) return piece_of_long_line();
  const std::string_view lines = unread().substr(0, whole);
  const CopyLines scanned = scan_copy_lines(lines);
  const std::string_view data = lines.substr(0, scanned.end);
  if (scanned.end == whole) {
    consume(whole, scanned.lines);
    return {data, at_end_ && begin_ == end_, false};
  }
  const size_t end =
      std::min(lines.find('\n', scanned.end), lines.size() - 1) + 1;
  consume(end, scanned.lines + 1);
  return {data, true, true};
}

std::string_view File::next_bytes(uint64_t end) {
  if (offset_ >= end) return {};
  if (unread().empty() && !fill()) return {};
  const std::string_view piece =
      unread().substr(0, std::min<uint64_t>(kCopyPieceBytes, end - offset_));
  consume(piece.size(), 0);
  return piece;
}

void File::seek(uint64_t offset, int64_t line) {
  line_number_ = line;
  in_long_line_ = false;
  if (offset >= offset_ && offset - offset_ <= unread().size()) {
    consume(offset - offset_, 0);
    return;
  }
  if (lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    base::throw_errno(fmt::format("{} could not be read", path_.string()));
  }
  begin_ = end_ = 0;
  at_end_ = false;
  offset_ = offset;
}

}  // namespace sidegrade::script
