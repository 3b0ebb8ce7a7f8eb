#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "script/copy_block.h"
#include "script/file.h"

namespace sidegrade::script {

/// The rows for one COPY FROM STDIN, from where a file stands on.
class CopySource {
 public:
  enum class End {
    kMarker,       ///< the line `\.`: rows within a script
    kMarkerOrEnd,  ///< or the file's end: \copy's own file
    kRange,        ///< the range's: rows of a script, or a part of them
  };

  /// A known `range` is not looked at on its way.
  CopySource(File& file, End end, std::optional<CopyRange> range = {});

  /// The next bytes; empty behind the last. Throws Error where a known range
  /// has no end marker: the file is no longer what it was.
  std::string_view next();
  /// Behind the last bytes: the end was there as it should be.
  bool complete() const { return complete_; }
  /// Passes over all that is left.
  void skip();
  /// File and line of row `row` (from 1).
  std::string place_of(int64_t row) const {
    return file_.place(first_line_ + row - 1);
  }

 private:
  std::string_view next_of_range();
  bool end_marker_follows();
  std::string_view next_by_lines();

  File& file_;
  End end_;
  std::optional<CopyRange> range_;
  int64_t first_line_;
  bool ended_ = false;
  bool complete_ = false;
};

}  // namespace sidegrade::script
