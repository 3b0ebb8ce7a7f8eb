#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "postgres/script_reader.h"

namespace sidegrade::postgres {

/// The three parts of a dump, in steps of its ScriptReader: what comes before
/// the data, the data, and the indexes and constraints that follow them.
/// Nothing is reordered: each part is one stretch of the file.
struct ScriptOutline {
  int64_t data_begin = 0;  ///< first step that brings rows
  int64_t data_end = 0;    ///< first step of the indexes and constraints
  int64_t steps = 0;       ///< all; equal to data_end if nothing follows
  uint64_t bytes = 0;

  bool has_indexes() const { return data_end < steps; }
};

/// Reads the script once, outside any timed span, and says what a trial would
/// trip over: throws Error, with file and line, for a backslash command that is
/// not understood, COPY data without their end, NUL bytes, an archive.
ScriptOutline outline_script(const std::filesystem::path& path);

/// What a statement does, by its first words (comments passed over).
enum class StatementKind { kData, kPostData, kOther };
StatementKind classify_statement(std::string_view text);

/// Whether a backslash command is one that our client carries out: \connect,
/// \restrict, \unrestrict, \encoding, \set ON_ERROR_STOP.
bool is_understood(const BackslashCommand& command);

}  // namespace sidegrade::postgres
