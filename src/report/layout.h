#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sidegrade::report {

/// The columns of a terminal that UTF-8 text takes: its code points, as none of
/// ours is wide or combining.
size_t width_of(std::string_view text);

enum class Align { kLeft, kRight };

/// `text` filled with blanks to `width` columns; as it is if it is wider.
std::string pad(std::string_view text, size_t width, Align align);

/// `text` broken between words into lines of at most `width` columns, all but
/// the first begun with `indent` blanks. A longer word gets a line of its own.
std::string wrap(std::string_view text, size_t width, size_t indent);

/// A cell's text and where it stands in its column.
struct TableCell {
  std::string text;
  Align align = Align::kRight;
};

using TableLine = std::vector<TableCell>;

/// The lines of a table whose columns are as wide as their widest cell, two
/// blanks apart, without blanks at their ends.
std::vector<std::string> align_lines(const std::vector<TableLine>& lines);

}  // namespace sidegrade::report
