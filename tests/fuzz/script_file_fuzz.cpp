// The script's bytes, by lines and as COPY data, against a plain model of both.
// An input is three bytes that say what is read and what padding comes first,
// and then text. The padding puts the text where the reader's pieces and buffer
// end.

#include <algorithm>
#include <array>

#include "fuzz/input_file.h"
#include "script/file.h"

namespace sidegrade::fuzz {
namespace {

using script::File;

struct Input {
  size_t lines_before = 0;  ///< read by lines before the COPY data
  std::string text;
};

Input parse(std::string_view bytes) {
  constexpr size_t kKiB = 1024;
  constexpr std::array kEnds = {size_t{0}, 64 * kKiB, 256 * kKiB, 512 * kKiB};
  constexpr size_t kPaddingLine = 64;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const size_t end = kEnds.at(at(0) >> 6U);
  const size_t padding = end - std::min<size_t>(end, at(1));
  Input input{.lines_before = at(0) & 7U, .text = std::string(padding, 'x')};
  if ((at(0) & 8U) != 0) {
    for (size_t i = at(2); i < padding; i += kPaddingLine) input.text[i] = '\n';
  }
  input.text += bytes.substr(3);
  return input;
}

/// The line that begins at `begin`, with its newline if it has one.
std::string_view whole_line(std::string_view text, size_t begin) {
  const size_t newline = text.find('\n', begin);
  return text.substr(
      begin, newline == std::string_view::npos ? newline : newline + 1 - begin);
}

/// Reads up to `most` lines; returns how many there were.
size_t read_lines(File& file, std::string_view text, size_t most) {
  size_t lines = 0;
  std::string_view line;
  while (lines < most && file.next_line(line)) {
    const std::string_view whole = text.substr(0, line.size() + 1);
    require(whole_line(text, 0) == whole && whole.starts_with(line),
            "a line is the next bytes up to a newline");
    text.remove_prefix(whole.size());
    ++lines;
  }
  require(lines == most || text.empty(), "the lines end with the file");
  return lines;
}

struct CopyData {
  size_t end = 0;   ///< of the data
  size_t next = 0;  ///< what follows the end marker
  int64_t lines = 0;
  bool marker_found = false;
};

CopyData copy_data(std::string_view text) {
  CopyData data;
  while (data.end < text.size()) {
    const std::string_view line = whole_line(text, data.end);
    data.next = data.end + line.size();
    ++data.lines;
    data.marker_found = line == "\\." || line == "\\.\r" || line == "\\.\n" ||
                        line == "\\.\r\n";
    if (data.marker_found) return data;
    data.end = data.next;
  }
  return data;
}

void read_copy_data(File& file, std::string_view text) {
  const CopyData expected = copy_data(text);
  const int64_t lines_before = file.line_number();
  const uint64_t offset = file.offset();
  size_t size = 0;
  File::CopyPiece piece;
  do {
    piece = file.next_copy_piece();
    require(text.substr(size).starts_with(piece.bytes),
            "a piece is the next bytes");
    size += piece.bytes.size();
  } while (!piece.last);
  require(size == expected.end, "the pieces are the data");
  require(piece.marker_found == expected.marker_found,
          "the end marker is seen where it is");
  require(file.offset() == offset + expected.next,
          "the end marker is consumed and nothing more");
  require(file.line_number() == lines_before + expected.lines,
          "the lines of the data are counted");
}

/// The data of the COPY that begins where the file stands, unlooked at. Then
/// jumps: out of the data's first piece to their end, and back.
void read_stretch(File& file, std::string_view text) {
  const uint64_t begin = file.offset();
  const int64_t line = file.line_number();
  const CopyData data = copy_data(text);
  size_t size = 0;
  for (;;) {
    const std::string_view bytes = file.next_bytes(begin + data.end);
    if (bytes.empty()) break;
    require(text.substr(size).starts_with(bytes), "they are the next bytes");
    size += bytes.size();
  }
  require(size == data.end, "the pieces are the stretch");
  file.seek(begin, line);
  file.next_copy_piece();
  file.seek(begin + data.end, line);
  const File::CopyPiece piece = file.next_copy_piece();
  require(piece.bytes.empty() && piece.last, "at the end are no data");
  require(piece.marker_found == data.marker_found, "but the marker");
  file.seek(begin, line);
}

void check(const Input& input, const std::filesystem::path& path) {
  File file(path);
  const std::string_view text = input.text;
  const size_t lines = read_lines(file, text, input.lines_before);
  require(file.line_number() == static_cast<int64_t>(lines),
          "lines are counted");
  read_stretch(file, text.substr(file.offset()));
  read_copy_data(file, text.substr(file.offset()));
  const std::string_view rest = text.substr(file.offset());
  read_lines(file, rest, rest.size() + 1);
  require(file.offset() == text.size(), "the offset grows to the size");
}

}  // namespace
}  // namespace sidegrade::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sidegrade;
  static fuzz::InputFile file;
  if (size < 3) return 0;
  const fuzz::Input input =
      fuzz::parse({reinterpret_cast<const char*>(data), size});
  file.write(input.text);
  fuzz::check(input, file.path());
  return 0;
}
