#include "postgres/script_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sidegrade::postgres {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
/// What goes to the server at once; larger pieces gain nothing
/// (docs/benchmarks.md).
constexpr size_t kCopyPieceBytes = size_t{64} << 10;

/// Whether `text`, from the start of a line, begins with the line `\.`.
bool begins_with_end_marker(std::string_view text) {
  if (!text.starts_with("\\.")) return false;
  const std::string_view rest = text.substr(2);
  return rest.empty() || rest.starts_with('\n') || rest.starts_with("\r\n") ||
         rest == "\r";
}

struct CopyLines {
  size_t end = 0;     ///< where the end marker begins, or the text ends
  int64_t lines = 0;  ///< newlines before it
};

/// One pass for both: looking at every byte is much of what a client costs.
CopyLines scan_copy_lines(std::string_view text) {
  CopyLines scanned;
  while (!begins_with_end_marker(text.substr(scanned.end))) {
    const size_t newline = text.find('\n', scanned.end);
    if (newline == std::string_view::npos) return {text.size(), scanned.lines};
    scanned.end = newline + 1;
    ++scanned.lines;
  }
  return scanned;
}

}  // namespace

ScriptFile::ScriptFile(const std::filesystem::path& path)
    : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (!fd_ || fstat(fd_.get(), &status) != 0) {
    base::throw_errno(fmt::format("{} could not be opened", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw base::Error(fmt::format("{} is not a regular file", path.string()));
  }
  posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  buffer_.resize(kBufferBytes);
}

std::string_view ScriptFile::unread() const {
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

/// Reads on behind what is unread, making room first. False: the file ended.
bool ScriptFile::fill() {
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
  return !at_end_;
}

void ScriptFile::consume(size_t bytes, int64_t lines) {
  begin_ += bytes;
  offset_ += bytes;
  line_number_ += lines;
}

bool ScriptFile::next_line(std::string_view& line) {
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
    if (fill()) continue;
    line = unread();
    if (line.empty()) return false;
    consume(line.size(), 1);
    return true;
  }
}

ScriptFile::CopyPiece ScriptFile::next_copy_piece() {
  size_t whole = 0;
  for (;;) {
    const size_t newline = unread().substr(0, kCopyPieceBytes).rfind('\n');
    if (newline != std::string_view::npos &&
        unread().size() >= kCopyPieceBytes) {
      whole = newline + 1;
      break;
    }
    const size_t longer = unread().find('\n', kCopyPieceBytes);
    if (unread().size() >= kCopyPieceBytes &&
        longer != std::string_view::npos) {
      whole = longer + 1;
      break;
    }
    if (!fill()) {
      whole = unread().size();
      break;
    }
  }
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

}  // namespace sidegrade::postgres
