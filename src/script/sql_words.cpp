#include "script/sql_words.h"

#include <algorithm>

namespace sidegrade::script {
namespace {

// PostgreSQL's lexer knows ASCII alone, whatever the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool begins_name(char c) {
  const char lower = to_lower(c);
  return (lower >= 'a' && lower <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) {
  return begins_name(c) || is_digit(c) || c == '$';
}

std::string without_doubled(std::string_view text, char quote) {
  const std::string doubled(2, quote);
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text.substr(i, 2) == doubled) ++i;
  }
  return result;
}

}  // namespace

bool SqlWord::is(std::string_view word) const {
  return (kind == Kind::kWord || kind == Kind::kSign) &&
         std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

std::string SqlWord::value() const {
  std::string result(text);
  if (kind == Kind::kQuotedName) return without_doubled(text, '"');
  if (kind == Kind::kString) return without_doubled(text, '\'');
  if (kind == Kind::kWord)
    std::ranges::transform(text, result.begin(), to_lower);
  return result;
}

SqlWords::SqlWords(std::string_view statement, const LexerSettings& settings)
    : text_(statement),
      in_plain_strings_(settings.standard_strings ? Backslash::kPlain
                                                  : Backslash::kEscapes) {}

bool SqlWords::next(SqlWord& word) {
  pass_over_space();
  if (at_ >= text_.size()) return false;
  const char c = at(at_);
  if (c == '"') {
    word = quoted(SqlWord::Kind::kQuotedName, Backslash::kPlain);
  } else if (c == '\'') {
    word = quoted(SqlWord::Kind::kString, in_plain_strings_);
  } else if (to_lower(c) == 'e' && at(at_ + 1) == '\'') {
    ++at_;
    word = quoted(SqlWord::Kind::kString, Backslash::kEscapes);
  } else if (!dollar_quoted(word)) {
    word = unquoted();
  }
  return true;
}

char SqlWords::at(size_t position) const {
  return position < text_.size() ? text_[position] : '\0';
}

void SqlWords::pass_over_space() {
  while (at_ < text_.size()) {
    if (text_.substr(at_, 2) == "--") {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      pass_over_block_comment();
    } else if (is_space(text_[at_])) {
      ++at_;
    } else {
      return;
    }
  }
}

void SqlWords::pass_over_block_comment() {
  int depth = 0;
  do {
    const std::string_view two = text_.substr(at_, 2);
    if (two == "/*") ++depth;
    if (two == "*/") --depth;
    at_ += two == "/*" || two == "*/" ? 2 : 1;
  } while (depth > 0 && at_ < text_.size());
}

SqlWord SqlWords::quoted(SqlWord::Kind kind, Backslash backslash) {
  const char quote = at(at_);
  const size_t begin = ++at_;
  while (at_ < text_.size()) {
    const bool escapes = backslash == Backslash::kEscapes && at(at_) == '\\';
    if (escapes || (at(at_) == quote && at(at_ + 1) == quote)) {
      at_ += 2;
    } else if (at(at_) == quote) {
      return {.kind = kind, .text = text_.substr(begin, at_++ - begin)};
    } else {
      ++at_;
    }
  }
  return {.kind = kind, .text = text_.substr(begin)};
}

bool SqlWords::dollar_quoted(SqlWord& word) {
  if (at(at_) != '$' || is_digit(at(at_ + 1))) return false;
  size_t tag_end = at_ + 1;
  while (at(tag_end) != '$' && continues_name(at(tag_end))) ++tag_end;
  if (at(tag_end) != '$') return false;
  const size_t begin = tag_end + 1;
  const std::string_view tag = text_.substr(at_, begin - at_);
  const size_t end = std::min(text_.find(tag, begin), text_.size());
  word = {.kind = SqlWord::Kind::kDollarString,
          .text = text_.substr(begin, end - begin)};
  at_ = std::min(end + tag.size(), text_.size());
  return true;
}

SqlWord SqlWords::unquoted() {
  const size_t begin = at_++;
  const char first = text_[begin];
  if (!begins_name(first) && !is_digit(first)) {
    return {.kind = SqlWord::Kind::kSign, .text = text_.substr(begin, 1)};
  }
  while (continues_name(at(at_))) ++at_;
  return {.kind = SqlWord::Kind::kWord,
          .text = text_.substr(begin, at_ - begin)};
}

}  // namespace sidegrade::script
