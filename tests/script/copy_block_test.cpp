#include "script/copy_block.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace sidegrade::script {
namespace {

/// A block whose stretches have these sizes; ten bytes are a line.
CopyBlock block_of(std::initializer_list<uint64_t> sizes) {
  CopyBlock block{
      .rows = {.begin = 1000, .end = 1000, .first_line = 30, .lines = 0},
      .stretches = {}};
  for (const uint64_t size : sizes) {
    const auto lines = static_cast<int64_t>(size / 10);
    block.stretches.push_back({.begin = block.rows.end,
                               .end = block.rows.end + size,
                               .first_line = 30 + block.rows.lines,
                               .lines = lines});
    block.rows.end += size;
    block.rows.lines += lines;
  }
  return block;
}

/// Whether the ranges, one behind the other, are the block's rows.
bool covers(const CopyBlock& block, const std::vector<CopyRange>& ranges) {
  uint64_t at = block.rows.begin;
  int64_t line = block.rows.first_line;
  for (const CopyRange& range : ranges) {
    if (range.begin != at || range.first_line != line) return false;
    at = range.end;
    line += range.lines;
  }
  return at == block.rows.end &&
         line == block.rows.first_line + block.rows.lines;
}

TEST(CopyBlock, ThePartsCoverItInOrder) {
  const CopyBlock block = block_of({100, 90, 110, 100, 100, 100, 40});
  for (int parts = 1; parts < 10; ++parts) {
    const std::vector<CopyRange> ranges = split(block, parts);
    EXPECT_LE(ranges.size(), static_cast<size_t>(parts));
    EXPECT_TRUE(covers(block, ranges)) << parts;
  }
}

TEST(CopyBlock, ThePartsAreAboutEqual) {
  const std::vector<CopyRange> ranges =
      split(block_of({100, 100, 100, 100, 100, 100}), 3);
  ASSERT_EQ(ranges.size(), 3U);
  for (const CopyRange& range : ranges) EXPECT_EQ(range.bytes(), 200U);
}

TEST(CopyBlock, NothingIsCutWithinAStretch) {
  EXPECT_EQ(split(block_of({100}), 4).size(), 1U);
  const CopyBlock uneven = block_of({1000, 10, 10});
  EXPECT_TRUE(covers(uneven, split(uneven, 2)));
}

TEST(CopyBlock, WithoutRowsItHasNoParts) {
  EXPECT_TRUE(split(block_of({}), 2).empty());
}

}  // namespace
}  // namespace sidegrade::script
