#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "script/lexer_settings.h"

namespace sidegrade::script {

/// One word or sign of a statement. `text` points into the statement and has
/// no quotes or dollar tags around it.
struct SqlWord {
  enum class Kind { kWord, kQuotedName, kString, kDollarString, kSign };

  /// Whether it is this sign or this unquoted word, given in lower case.
  bool is(std::string_view word) const;
  /// The name or text that it stands for: unquoted words in lower case (ASCII
  /// letters only), doubled quotes undone. Backslashes stay as written.
  std::string value() const;

  Kind kind = Kind::kSign;
  std::string_view text;
};

/// The words of one statement, found as they are asked for; white space and
/// comments are passed over. What has no end (a quote, a comment) ends with
/// the statement. Of `settings`, standard_strings decides about backslashes.
class SqlWords {
 public:
  /// `statement` must outlive the words.
  explicit SqlWords(std::string_view statement,
                    const LexerSettings& settings = {});

  /// The next word; false at the end.
  bool next(SqlWord& word);

 private:
  enum class Backslash { kPlain, kEscapes };

  char at(size_t position) const;
  void pass_over_space();
  void pass_over_block_comment();
  SqlWord quoted(SqlWord::Kind kind, Backslash backslash);
  bool dollar_quoted(SqlWord& word);
  SqlWord unquoted();

  std::string_view text_;
  Backslash in_plain_strings_;
  size_t at_ = 0;
};

}  // namespace sidegrade::script
