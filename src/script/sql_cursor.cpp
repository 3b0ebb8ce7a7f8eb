#include "script/sql_cursor.h"

#include <algorithm>

namespace sidegrade::script {

bool SqlCursor::has(std::string_view word) const {
  return std::any_of(words_.begin(), words_.end(),
                     [&](const SqlWord& one) { return one.is(word); });
}

bool SqlCursor::skip(std::initializer_list<std::string_view> words) {
  const bool come_next =
      words.size() <= words_.size() &&
      std::equal(words.begin(), words.end(), words_.begin(),
                 [](auto word, const SqlWord& next) { return next.is(word); });
  if (come_next) words_ = words_.subspan(words.size());
  return come_next;
}

bool SqlCursor::skip_string() {
  if (at_end() || words_.front().kind != SqlWord::Kind::kString) return false;
  advance();
  return true;
}

void SqlCursor::skip_group() {
  int depth = 0;
  do {
    if (at("(")) ++depth;
    if (at(")")) --depth;
    advance();
  } while (depth > 0 && !at_end());
}

bool SqlCursor::seek(std::initializer_list<std::string_view> words) {
  for (int depth = 0; !at_end();) {
    const SqlWord word = words_.front();
    advance();
    if (word.is("(")) ++depth;
    if (word.is(")")) --depth;
    if (depth == 0 && std::any_of(words.begin(), words.end(),
                                  [&](auto one) { return word.is(one); })) {
      return true;
    }
  }
  return false;
}

std::optional<SqlWord> SqlCursor::take_word() {
  if (at_end() || words_.front().kind == SqlWord::Kind::kSign) return {};
  const SqlWord word = words_.front();
  advance();
  return word;
}

std::optional<std::string> SqlCursor::take_name() {
  std::optional<std::string> name;
  do {
    if (at_end() || (words_.front().kind != SqlWord::Kind::kWord &&
                     words_.front().kind != SqlWord::Kind::kQuotedName)) {
      return {};
    }
    name = words_.front().value();
    advance();
  } while (skip({"."}));
  return name;
}

}  // namespace sidegrade::script
