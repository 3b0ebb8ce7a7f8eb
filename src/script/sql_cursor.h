#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "script/sql_words.h"

namespace sidegrade::script {

/// Walks over the words of one statement, which must outlive it.
class SqlCursor {
 public:
  explicit SqlCursor(std::span<const SqlWord> words) : words_(words) {}

  bool at_end() const { return words_.empty(); }
  bool at(std::string_view word) const {
    return !at_end() && words_.front().is(word);
  }
  /// Whether the word is among the rest.
  bool has(std::string_view word) const;
  /// The same, but not in parentheses that begin there.
  bool has_outside(std::string_view word) const {
    return SqlCursor(*this).seek({word});
  }

  void advance() { words_ = words_.subspan(1); }
  /// Passes over these words if they come next.
  bool skip(std::initializer_list<std::string_view> words);
  bool skip_string();
  /// Passes over the next word, or a parenthesis and all in it.
  void skip_group();
  /// Goes behind the next of these words that is in no parentheses begun from
  /// here, or to the end.
  bool seek(std::initializer_list<std::string_view> words);

  /// The next word, name or string; nothing before a sign.
  std::optional<SqlWord> take_word();
  /// The last part of a name that may be qualified.
  std::optional<std::string> take_name();

 private:
  std::span<const SqlWord> words_;
};

}  // namespace sidegrade::script
