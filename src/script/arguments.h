#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "script/variables.h"

namespace sidegrade::script {

/// Reads the arguments behind a backslash command's name by psql's rules
/// (psqlscanslash.l): quotes, backslash escapes in single quotes, variables.
class ArgumentReader {
 public:
  enum class Form {
    kWord,        ///< double quotes stay, as psql leaves them
    kName,        ///< double quotes are taken off: \connect "My Db"
    kRestOfLine,  ///< all of it, as it stands: \copy
  };

  /// `text` begins behind the command's name. Without variables (in a branch
  /// that is not taken) nothing is substituted.
  ArgumentReader(std::string_view text, const Variables* variables)
      : text_(text), variables_(variables) {}

  /// The next argument; nothing at the end of the command. Throws Error for a
  /// quote without its end, and for a command in backquotes.
  std::optional<std::string> next(Form form);

  /// What follows the command on its line: behind `\\`, or from the next
  /// backslash on; empty at the line's end.
  std::string_view rest();

 private:
  void skip_blanks();
  void read_single_quoted(std::string& word);
  void read_double_quoted(std::string& word, Form form);
  void read_variable(std::string& word);
  void read_escape(std::string& word);

  std::string_view text_;
  const Variables* variables_;
  size_t at_ = 0;
};

}  // namespace sidegrade::script
