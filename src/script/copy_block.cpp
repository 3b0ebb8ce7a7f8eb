#include "script/copy_block.h"

namespace sidegrade::script {

std::vector<CopyRange> split(const CopyBlock& block, int parts) {
  if (parts == 1) return {block.rows};
  std::vector<CopyRange> ranges;
  for (const CopyRange& stretch : block.stretches) {
    const uint64_t before = stretch.begin - block.rows.begin;
    const auto due =
        ranges.size() * block.rows.bytes() / static_cast<uint64_t>(parts);
    if (ranges.empty() || before >= due) {
      ranges.push_back(stretch);
      continue;
    }
    ranges.back().end = stretch.end;
    ranges.back().lines += stretch.lines;
  }
  return ranges;
}

}  // namespace sidegrade::script
