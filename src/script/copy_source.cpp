#include "script/copy_source.h"

#include <fmt/format.h>

#include "base/error.h"

namespace sidegrade::script {

CopySource::CopySource(File& file, End end, std::optional<CopyRange> range)
    : file_(file),
      end_(end),
      range_(range),
      first_line_(range ? range->first_line : file.line_number() + 1) {}

std::string_view CopySource::next() {
  if (ended_) return {};
  return range_ ? next_of_range() : next_by_lines();
}

std::string_view CopySource::next_of_range() {
  const std::string_view bytes = file_.next_bytes(range_->end);
  if (!bytes.empty()) return bytes;
  ended_ = true;
  complete_ = file_.offset() == range_->end &&
              (end_ == End::kRange || end_marker_follows());
  if (complete_) return {};
  throw base::Error(
      fmt::format("{}: the COPY data no longer end here: the file has changed",
                  file_.place(range_->first_line + range_->lines)),
      "Leave the inputs alone while a run goes on; begin the run again.");
}

bool CopySource::end_marker_follows() {
  file_.seek(range_->end, range_->first_line + range_->lines - 1);
  std::string_view line;
  return file_.next_line(line) && (line == "\\." || line == "\\.\r");
}

std::string_view CopySource::next_by_lines() {
  for (;;) {
    const File::CopyPiece piece = file_.next_copy_piece();
    ended_ = piece.last;
    complete_ = piece.marker_found || (piece.last && end_ != End::kMarker);
    if (!piece.bytes.empty() || piece.last) return piece.bytes;
  }
}

void CopySource::skip() {
  if (range_ && !ended_) file_.seek(range_->end, 0);
  while (!ended_) next();
}

}  // namespace sidegrade::script
