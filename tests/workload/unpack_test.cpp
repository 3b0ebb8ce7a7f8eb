#include "workload/unpack.h"

#include <gmock/gmock.h>

#include "base/forked.h"
#include "base/interrupted.h"
#include "base/process.h"
#include "workload/cache_folder.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const base::Interrupt kNever = base::Interrupt::never();

/// More than one piece of lines that don't repeat.
std::string sql_text() {
  std::string text;
  for (int i = 0; text.size() < 1'200'000; ++i) {
    text += "INSERT INTO t VALUES (" + std::to_string(i * 7919) + ");\n";
  }
  return text;
}

/// `text` as `program` compresses it, without an ending in the name: what a
/// file is, its bytes say.
fs::path compressed(const CacheFolder& folder, const std::string& program,
                    const std::string& text) {
  const fs::path plain = folder.dir().file("plain", text);
  return folder.dir().file(
      "dump", base::run_checked({.argv = {program, "-c", plain.string()}}));
}

void overwrite(const fs::path& file, size_t offset, char byte) {
  std::string bytes = base::read_file(file);
  bytes.at(offset) = byte;
  std::ofstream(file, std::ios::binary) << bytes;
}

class EachCompression : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!base::find_program(GetParam())) {
      GTEST_SKIP() << "there is no " << GetParam();
    }
  }
};

TEST_P(EachCompression, IsSeenAndUndone) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, GetParam(), sql_text());
  EXPECT_TRUE(is_compressed(source));
  const fs::path file = unpack(source, folder.cache(), kNever);
  EXPECT_EQ(base::read_file(file), sql_text());
  EXPECT_EQ(file, unpacked_file(source, folder.cache()));
}

TEST_P(EachCompression, CutShortIsAnErrorThatNamesTheFile) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, GetParam(), sql_text());
  fs::resize_file(source, fs::file_size(source) / 2);
  EXPECT_THAT(complaint_of([&] { unpack(source, folder.cache(), kNever); }),
              HasSubstr("dump could not be decompressed: "));
  EXPECT_THAT(folder.cached(), IsEmpty());
}

TEST_P(EachCompression, CutByItsLastByteIsAnError) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, GetParam(), sql_text());
  fs::resize_file(source, fs::file_size(source) - 1);
  EXPECT_THAT(complaint_of([&] { unpack(source, folder.cache(), kNever); }),
              HasSubstr("dump could not be decompressed: "));
  EXPECT_THAT(folder.cached(), IsEmpty());
}

TEST_P(EachCompression, DamagedIsAnErrorThatNamesTheFile) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, GetParam(), sql_text());
  const size_t middle = fs::file_size(source) / 2;
  const char byte = base::read_file(source).at(middle);
  overwrite(source, middle, static_cast<char>(~byte));
  EXPECT_THAT(complaint_of([&] { unpack(source, folder.cache(), kNever); }),
              HasSubstr("dump could not be decompressed: "));
  EXPECT_THAT(folder.cached(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(By, EachCompression,
                         testing::Values("gzip", "zstd", "xz", "lz4", "bzip2"),
                         [](const auto& test) { return test.param; });

TEST(Unpack, PlainTextIsNotCompressed) {
  const CacheFolder folder;
  EXPECT_FALSE(is_compressed(folder.dir().file("a.sql.gz", "SELECT 1;\n")));
  EXPECT_FALSE(is_compressed(folder.dir().file("empty", "")));
  EXPECT_FALSE(is_compressed(folder.dir().path()));
}

TEST(Unpack, ChangedBytesThatStillDecompressAreFoundByGzipsChecksum) {
  const CacheFolder folder;
  // A block that is stored as it is: its bytes can change unnoticed.
  const std::string stored(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x04\0\xfb\xff"
      "ONE;\xd9\x65\x32\xa4\x04\0\0\0",
      27);
  const fs::path source = folder.dir().file("dump", stored);
  overwrite(source, 15, 'A');
  EXPECT_THAT(complaint_of([&] { unpack(source, folder.cache(), kNever); }),
              HasSubstr("crc error"));
  EXPECT_THAT(folder.cached(), IsEmpty());
}

TEST(Unpack, GzipOfSeveralMembersIsAllOfThem) {
  const CacheFolder folder;
  const std::string first =
      base::read_file(compressed(folder, "gzip", "SELECT 1;\n"));
  const std::string second =
      base::read_file(compressed(folder, "gzip", "SELECT 2;\n"));
  const fs::path source = folder.dir().file("dump", first + second);
  EXPECT_EQ(base::read_file(unpack(source, folder.cache(), kNever)),
            "SELECT 1;\nSELECT 2;\n");
}

TEST(Unpack, AnInterruptionLeavesNothing) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, "gzip", sql_text());
  EXPECT_TRUE(test::holds_when_forked([&] {
    const base::Interrupt interrupt = base::Interrupt::on_signals();
    raise(SIGTERM);
    return test::interrupted(
        [&] { unpack(source, folder.cache(), interrupt); });
  }));
  EXPECT_THAT(folder.cached(), IsEmpty());
}

TEST(Unpack, WhatIsThereWholeIsUsedAgain) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, "gzip", "SELECT 1;\n");
  const fs::path file = unpack(source, folder.cache(), kNever);
  const auto written = fs::last_write_time(file);
  fs::last_write_time(file, written - std::chrono::hours(1));
  EXPECT_EQ(unpack(source, folder.cache(), kNever), file);
  EXPECT_EQ(fs::last_write_time(file), written - std::chrono::hours(1));
}

TEST(Unpack, WhatIsDamagedInTheCacheIsMadeAnew) {
  const CacheFolder folder;
  const fs::path source = compressed(folder, "gzip", "SELECT 1;\n");
  const fs::path file = unpack(source, folder.cache(), kNever);
  overwrite(file, 0, 'X');
  unpack(source, folder.cache(), kNever);
  EXPECT_EQ(base::read_file(file), "SELECT 1;\n");
}

TEST(Unpack, AnotherFileOfTheSameNameHasItsOwnPlace) {
  const CacheFolder folder;
  const fs::path before =
      unpacked_file(compressed(folder, "gzip", "A;\n"), folder.cache());
  const fs::path after =
      unpacked_file(compressed(folder, "gzip", "B;\n"), folder.cache());
  EXPECT_NE(before, after);
}

}  // namespace
}  // namespace sidegrade::workload
