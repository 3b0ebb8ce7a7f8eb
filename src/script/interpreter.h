#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "script/reader.h"
#include "script/variables.h"

namespace sidegrade::script {

/// A statement for the server, and what becomes of its result.
struct ExecuteStep {
  enum class Use {
    kNone,
    kExecuteCells,    ///< \gexec: each value is a statement
    kStoreVariables,  ///< \gset: each column is a variable
  };

  Statement statement;
  Use use = Use::kNone;
  std::string prefix;  ///< of the variables
};

/// \copy … FROM a file, or from the lines that follow.
struct CopyStep {
  std::string statement;       ///< COPY … FROM STDIN …
  std::filesystem::path file;  ///< empty: from the script
  int64_t line = 0;
};

/// \connect: a database (or connection string), a user; "-" or nothing: as now.
struct ConnectStep {
  std::vector<std::string> arguments;
  int64_t line = 0;
};

struct EncodingStep {
  std::string encoding;
  int64_t line = 0;
};

/// A command that psql answers with an error.
struct RefusedStep {
  std::string sentence;  ///< begins with its place
};

using Step =
    std::variant<ExecuteStep, CopyStep, ConnectStep, EncodingStep, RefusedStep>;

/// A script, and the folder from which it names other files.
struct Source {
  Source(std::filesystem::path script)  // NOLINT: a path is a script
      : path(std::move(script)), directory(path.parent_path()) {}
  Source(std::filesystem::path script, std::filesystem::path names_from)
      : path(std::move(script)), directory(std::move(names_from)) {}

  std::filesystem::path path;
  std::filesystem::path directory;
};

/// Follows a script through variables, conditions and included files as psql
/// does, and yields what is left for a session to do. A step counts alike
/// whether the script is looked at or executed.
class Interpreter {
 public:
  /// `session_value` answers for variables that only a session knows.
  Interpreter(const Source& script, Reading reading,
              Variables::SessionValue session_value);

  /// The next step; false at the end. `settings` hold from the next line on.
  /// Throws Error, with file and line, for what is not understood: the whole
  /// list is in docs/workloads.md.
  bool next(const LexerSettings& settings, Step& step);

  /// The file that the last step stands in: its COPY data follow there.
  File& file() { return readers_.back()->file(); }
  std::string place(int64_t line) const { return readers_.back()->place(line); }

  Variables& variables() { return variables_; }
  /// Steps returned so far.
  int64_t steps() const { return steps_; }
  /// Bytes read so far, of all files.
  uint64_t bytes() const { return bytes_of_ended_ + bytes_of_open(); }
  /// A condition could not be decided ahead, so that steps may differ.
  bool read_both_ways() const;
  /// The files that were read besides the script: \i, \copy.
  const std::vector<std::filesystem::path>& other_files() const {
    return other_files_;
  }

 private:
  bool interpret(const BackslashCommand& command, Step& step);
  bool interpret_copy(const BackslashCommand& command, Step& step);
  bool end_statement_by(const BackslashCommand& command, Step& step);
  bool restrict(const BackslashCommand& command, Step& step);
  bool refuse(const BackslashCommand& command, const std::string& reason,
              Step& step) const;
  void set_variable(const BackslashCommand& command);
  void include(const BackslashCommand& command);
  void end_file();
  uint64_t bytes_of_open() const;

  Reading reading_;
  Variables variables_;
  std::filesystem::path directory_;  ///< from which the script names files
  std::vector<std::unique_ptr<Reader>> readers_;  ///< innermost last
  std::vector<std::filesystem::path> other_files_;
  std::string restrict_key_;  ///< not empty: between \restrict and \unrestrict
  int64_t steps_ = 0;
  int64_t lookups_before_ = 0;  ///< of session values, before the last item
  uint64_t bytes_of_ended_ = 0;
  bool read_both_ways_ = false;
};

}  // namespace sidegrade::script
