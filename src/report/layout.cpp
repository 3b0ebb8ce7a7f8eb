#include "report/layout.h"

#include <algorithm>

#include "base/text.h"

namespace sidegrade::report {
namespace {

constexpr std::string_view kGap = "  ";

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string pad(std::string_view text, size_t width, Align align) {
  const size_t own = width_of(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return align == Align::kLeft ? std::string(text) + blanks
                               : blanks + std::string(text);
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
  std::string wrapped;
  size_t column = 0;
  for (const std::string& word : base::split_words(text)) {
    const size_t length = width_of(word);
    if (column > 0 && column + 1 + length > width) {
      wrapped += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += length;
  }
  return wrapped;
}

std::vector<std::string> align_lines(const std::vector<TableLine>& lines) {
  std::vector<size_t> widths;
  for (const TableLine& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(line[i].text));
    }
  }
  std::vector<std::string> aligned;
  for (const TableLine& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      if (i > 0) text += kGap;
      text += pad(line[i].text, widths[i], line[i].align);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    aligned.push_back(std::move(text));
  }
  return aligned;
}

}  // namespace sidegrade::report
