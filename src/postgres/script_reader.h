#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "postgres/script_file.h"

namespace sidegrade::postgres {

/// What decides how psql's lexer reads the text that follows: libpq encoding id
/// and standard_conforming_strings, both as the session has them now.
struct LexerSettings {
  int encoding = 6;  ///< PG_UTF8
  bool standard_strings = true;
};

/// One statement as psql would send it. Valid until the next step is read.
struct Statement {
  const char* text = "";      ///< NUL-terminated
  int64_t line = 0;           ///< where it begins
  int copies_from_stdin = 0;  ///< COPY FROM STDIN in it, as the lexer counts
};

/// A backslash command and its arguments, unquoted.
struct BackslashCommand {
  std::string name;  ///< "connect"
  std::vector<std::string> arguments;
  int64_t line = 0;
};

using ScriptStep = std::variant<Statement, BackslashCommand>;

/// Reads a script with psql's own lexer: where statements end, and what is a
/// backslash command, is decided by it alone (fe_utils/psqlscan.h).
class ScriptReader {
 public:
  explicit ScriptReader(const std::filesystem::path& path);
  ScriptReader(ScriptReader&&) noexcept;
  ~ScriptReader();

  /// The next step; false at the end. `settings` hold from the next line on.
  /// Throws Error, with file and line, for bytes that are no script (NUL, a
  /// pg_dump archive).
  bool next(const LexerSettings& settings, ScriptStep& step);

  /// After a statement that made the server ask for COPY data: the data, which
  /// begin on the line after the statement's.
  ScriptFile::CopyPiece next_copy_piece();

  /// Steps returned so far.
  int64_t steps() const { return steps_; }
  const std::filesystem::path& path() const { return file_.path(); }
  int64_t line() const { return file_.line_number(); }
  uint64_t offset() const { return file_.offset(); }
  /// "data.sql:48211".
  std::string place(int64_t line) const;

 private:
  struct Lexer;

  bool next_line(const LexerSettings& settings);
  bool finish(ScriptStep& step);
  BackslashCommand read_backslash_command();
  void refuse_what_is_no_script(std::string_view line) const;

  ScriptFile file_;
  std::unique_ptr<Lexer> lexer_;
  std::string line_;        ///< what the lexer is reading
  LexerSettings settings_;  ///< as of that line
  bool in_line_ = false;
  int64_t statement_line_ = 0;
  int64_t steps_ = 0;
};

}  // namespace sidegrade::postgres
