#include "script/file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.h"
#include "support/temp_dir.h"

namespace sidegrade::script {
namespace {

using test::TempDir;
using testing::ElementsAre;

std::vector<std::string> all_lines(File& file) {
  std::vector<std::string> lines;
  std::string_view line;
  while (file.next_line(line)) lines.emplace_back(line);
  return lines;
}

struct CopyData {
  std::string bytes;
  bool marker_found = false;
};

CopyData all_copy_data(File& file) {
  CopyData data;
  for (;;) {
    const File::CopyPiece piece = file.next_copy_piece();
    data.bytes += piece.bytes;
    data.marker_found = piece.marker_found;
    if (piece.last) return data;
  }
}

TEST(File, GivesLinesWithoutNewlinesAndALastOneWithoutIt) {
  const TempDir dir;
  File file(dir.file("a.sql", "one\n\nthree\r\nfour"));
  EXPECT_THAT(all_lines(file), ElementsAre("one", "", "three\r", "four"));
  EXPECT_EQ(file.line_number(), 4);
}

TEST(File, GivesALineLongerThanItsBufferWhole) {
  const TempDir dir;
  const std::string line(3'000'000, 'x');
  File file(dir.file("a.sql", "a\n" + line + "\nb\n"));
  EXPECT_THAT(all_lines(file), ElementsAre("a", line, "b"));
}

TEST(File, RefusesADirectoryByName) {
  const TempDir dir;
  try {
    const File file(dir.path());
    FAIL() << "a directory was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(dir.path().string()));
  }
}

TEST(File, RefusesAFifoInsteadOfWaitingForIt) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(File(dir / "fifo"), base::Error);
}

TEST(File, NoticesThatItShrinks) {
  const TempDir dir;
  const auto path = dir.file("a.sql", std::string(1 << 20, 'x') + "\n");
  File file(path);
  std::filesystem::resize_file(path, 1000);
  std::string_view line;
  try {
    file.next_line(line);
    FAIL() << "the end was taken for the file's";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(
                                  "a.sql:1: the file shrank from 1048577 to "));
  }
}

TEST(File, GoesOnAfterALongLineWhereItIsTold) {
  const TempDir dir;
  File file(
      dir.file("a.sql", std::string(200'000, 'x') + "\n\\.\nSELECT 1;\n"));
  file.next_copy_piece();
  file.seek(200'001, 1);
  const CopyData data = all_copy_data(file);
  EXPECT_EQ(data.bytes, "");
  EXPECT_TRUE(data.marker_found);
  EXPECT_THAT(all_lines(file), ElementsAre("SELECT 1;"));
}

TEST(File, CountsALastLineOfCopyDataThatHasNoNewline) {
  const TempDir dir;
  for (const size_t length : {size_t{3}, size_t{200'000}}) {
    File file(dir.file("a.sql", "a\n" + std::string(length, 'x')));
    EXPECT_FALSE(all_copy_data(file).marker_found);
    EXPECT_EQ(file.line_number(), 2);
  }
}

class CopyMarker : public testing::TestWithParam<
                       std::tuple<const char*, const char*, const char*>> {};

TEST_P(CopyMarker, EndsTheDataOnlyAsALineOfItsOwn) {
  const auto& [text, bytes, rest] = GetParam();
  const TempDir dir;
  File file(dir.file("a.sql", text));
  const CopyData data = all_copy_data(file);
  EXPECT_EQ(data.bytes, bytes);
  EXPECT_TRUE(data.marker_found);
  std::string_view line;
  EXPECT_EQ(file.next_line(line) ? std::string(line) : "(end)", rest);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, CopyMarker,
    testing::Values(std::tuple{"a\nb\n\\.\nnext\n", "a\nb\n", "next"},
                    std::tuple{"\\.\nnext\n", "", "next"},
                    std::tuple{"a\r\n\\.\r\nnext\n", "a\r\n", "next"},
                    std::tuple{"a\n\\.", "a\n", "(end)"},
                    std::tuple{"x\\.\n \\.\n\\.y\n\\\\.\n\\.\nnext",
                               "x\\.\n \\.\n\\.y\n\\\\.\n", "next"}));

TEST(File, SaysWhenCopyDataEndWithTheFileInstead) {
  const TempDir dir;
  File file(dir.file("a.sql", "a\nb\n"));
  const CopyData data = all_copy_data(file);
  EXPECT_EQ(data.bytes, "a\nb\n");
  EXPECT_FALSE(data.marker_found);
}

TEST(File, FindsTheMarkerWhereverPiecesAreCut) {
  const TempDir dir;
  // Rows of many lengths move the marker over every border between pieces.
  for (size_t length = 65'530; length < 65'545; ++length) {
    const std::string rows =
        std::string(length - 3, 'x') + "\n" + std::string(70'000, 'y') + "\n";
    File file(dir.file("a.sql", rows + "\\.\nnext\n"));
    const CopyData data = all_copy_data(file);
    ASSERT_EQ(data.bytes, rows) << length;
    ASSERT_TRUE(data.marker_found) << length;
    EXPECT_EQ(file.line_number(), 3) << length;
  }
}

}  // namespace
}  // namespace sidegrade::script
