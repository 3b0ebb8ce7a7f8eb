#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace sidegrade::script {

/// Rows of COPY data in a file, by whole lines.
struct CopyRange {
  uint64_t begin = 0;      ///< offset of the first byte
  uint64_t end = 0;        ///< offset behind the last
  int64_t first_line = 0;  ///< number of the first line
  int64_t lines = 0;

  uint64_t bytes() const { return end - begin; }
};

/// All data of one COPY in a script: what stands before the line `\.`.
struct CopyBlock {
  CopyRange rows;
  /// The same rows in stretches of about 1 MiB, between which the block may be
  /// cut if a line is a row (COPY's text format).
  std::vector<CopyRange> stretches;
};

/// The blocks of each file, by the offset of their first byte.
using CopyBlocks =
    std::map<std::filesystem::path, std::map<uint64_t, CopyBlock>>;

/// The block's rows in at most `parts` ranges of about equal size.
std::vector<CopyRange> split(const CopyBlock& block, int parts);

}  // namespace sidegrade::script
