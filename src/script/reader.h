#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "script/file.h"
#include "script/lexer_settings.h"
#include "script/variables.h"

namespace sidegrade::script {

/// One statement as psql would send it. Valid until the next step is read.
struct Statement {
  const char* text = "";      ///< NUL-terminated
  int64_t line = 0;           ///< where it begins
  int copies_from_stdin = 0;  ///< COPY FROM STDIN in it, as the lexer counts
};

/// A backslash command and its arguments, unquoted and with values in place of
/// variables.
struct BackslashCommand {
  std::string name;  ///< "connect"
  std::vector<std::string> arguments;
  int64_t line = 0;

  std::string argument(size_t i) const {
    return i < arguments.size() ? arguments[i] : "";
  }
};

/// Whether a script is only looked at, or its statements are executed. Then
/// every value is known; before, a branch whose condition only a session can
/// decide is read as if both ways were taken.
enum class Reading { kLookingAhead, kExecuting };

/// Reads one file with psql's own lexer: where statements end, and what is a
/// backslash command, is decided by it alone (fe_utils/psqlscan.h). What stands
/// in a branch of \if that is not taken does not appear.
class Reader {
 public:
  using Item = std::variant<Statement, BackslashCommand>;

  /// `variables` must outlive it.
  Reader(const std::filesystem::path& path, const Variables& variables,
         Reading reading);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  /// The next item; false at the end. `settings` hold from the next line on.
  /// Throws Error, with file and line, for bytes that are no script (NUL, a
  /// pg_dump archive), an \if without its \endif, a shell command.
  bool next(const LexerSettings& settings, Item& item);

  /// After a command such as \g: the statement gathered so far, which it ends;
  /// or, if there is none, the one before.
  Statement take_statement();
  /// Forgets what is gathered.
  void discard_statement();
  /// Nothing further is read: \q.
  void quit() { quit_ = true; }

  /// Where COPY data begin that a statement asks for: behind its line.
  File& file() { return file_; }
  const File& file() const { return file_; }
  std::string place(int64_t line) const { return file_.place(line); }
  /// A condition could not be decided, so that more was read than any one
  /// execution does.
  bool read_both_ways() const { return read_both_ways_; }

 private:
  struct Lexer;

  bool next_line(const LexerSettings& settings);
  bool finish(Item& item);
  Statement end_statement();
  BackslashCommand read_backslash_command();
  void go_on_with(std::string_view rest);
  void refuse_what_is_no_script(std::string_view line) const;
  void refuse_endless_statement(size_t more) const;
  bool active() const;
  bool follow_condition(const BackslashCommand& command);
  void switch_branch(const BackslashCommand& command);
  bool evaluates(const BackslashCommand& command) const;
  bool holds(const BackslashCommand& command);

  File file_;
  const Variables& variables_;
  Reading reading_;
  std::unique_ptr<Lexer> lexer_;
  std::string line_;        ///< what the lexer is reading
  LexerSettings settings_;  ///< as of that line
  bool in_line_ = false;
  bool quit_ = false;
  bool read_both_ways_ = false;
  int64_t statement_line_ = 0;
  int64_t lookups_before_command_ = 0;  ///< of session values
};

}  // namespace sidegrade::script
