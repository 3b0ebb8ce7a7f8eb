#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "script/copy_block.h"
#include "script/interpreter.h"
#include "script/needs.h"

namespace sidegrade::script {

/// What reading a script once, before any trial, tells of it.
struct Outline {
  /// The three parts of a dump, in steps of its Interpreter: what comes
  /// before the data, the data, and the indexes and constraints that follow
  /// them. Nothing is reordered: each part is one stretch of the script.
  std::optional<int64_t> data_begin;  ///< first step that brings rows
  /// First step of the indexes and constraints that follow the last rows (or,
  /// in a script that brings none, the first of all).
  std::optional<int64_t> post_data_begin;
  int64_t steps = 0;
  /// Its course depends on what only a session knows (\if with the result of a
  /// query): it has no parts, and all of it brings data.
  bool depends_on_session = false;

  /// It asks how statements went (:ERROR, :ROW_COUNT …) or sets ON_ERROR_STOP:
  /// each statement must be answered before the next one begins.
  bool waits_for_answers = false;

  CopyBlocks copy_blocks;
  /// Of each table's rows, by its name without its schema.
  std::map<std::string, uint64_t> table_bytes;
  /// Files that it reads besides itself: \i, \copy.
  std::vector<std::filesystem::path> other_files;
  /// Where the first foreign key, trigger or rule stands; empty: nowhere.
  std::string first_tie;
  /// The same if it stands before the last rows, which then can't be loaded
  /// side by side.
  std::string rows_tied_at;
};

/// Reads the script, outside any timed span. `needs` learns what it needs from
/// outside itself. Throws Error, with file and line, for what a trial would
/// trip over: a backslash command that is not understood, COPY data without
/// their end, NUL bytes, an archive, a file that is missing.
Outline read_outline(const Source& script, NeedsCollector& needs);

}  // namespace sidegrade::script
