#include "script/arguments.h"

#include <cctype>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::script {
namespace {

/// Bytes above ASCII count as letters, as in identifiers.
bool is_variable_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

constexpr const char* kOctal = "01234567";
constexpr const char* kHexadecimal = "0123456789abcdefABCDEF";

}  // namespace

void ArgumentReader::skip_blanks() {
  while (at_ < text_.size() && base::is_space(text_[at_])) ++at_;
}

std::optional<std::string> ArgumentReader::next(Form form) {
  skip_blanks();
  if (form == Form::kRestOfLine) {
    const std::string rest(text_.substr(at_));
    at_ = text_.size();
    return rest.empty() ? std::nullopt : std::optional(rest);
  }
  if (at_ == text_.size() || text_[at_] == '\\') return std::nullopt;
  std::string word;
  while (at_ < text_.size() && !base::is_space(text_[at_]) &&
         text_[at_] != '\\') {
    switch (text_[at_]) {
      case '\'':
        read_single_quoted(word);
        break;
      case '"':
        read_double_quoted(word, form);
        break;
      case ':':
        read_variable(word);
        break;
      case '`':
        if (variables_ == nullptr) {  // in a branch that is not taken
          word += text_[at_++];
          break;
        }
        throw base::Error("a shell command in backquotes is not executed");
      default:
        word += text_[at_++];
    }
  }
  return word;
}

void ArgumentReader::read_single_quoted(std::string& word) {
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      ++at_;
      read_escape(word);
    } else if (c != '\'') {
      word += c;
    } else if (text_.substr(at_ + 1, 1) == "'") {
      word += text_[++at_];
    } else {
      ++at_;
      return;
    }
  }
  throw base::Error("the quoted argument has no end");
}

/// The character behind a backslash; leaves `at_` on its last one.
void ArgumentReader::read_escape(std::string& word) {
  static constexpr std::string_view kNames = "ntbrf";
  static constexpr std::string_view kValues = "\n\t\b\r\f";
  const char c = text_[at_];
  const bool octal = c >= '0' && c <= '7';
  if (octal || (c == 'x' && at_ + 1 < text_.size() &&
                std::isxdigit(static_cast<unsigned char>(text_[at_ + 1])))) {
    const size_t begin = octal ? at_ : at_ + 1;
    const std::string_view candidates = text_.substr(begin, octal ? 3 : 2);
    const std::string_view digits = candidates.substr(
        0, candidates.find_first_not_of(octal ? kOctal : kHexadecimal));
    word += static_cast<char>(
        std::stoi(std::string(digits), nullptr, octal ? 8 : 16));
    at_ = begin + digits.size() - 1;
    return;
  }
  const size_t name = kNames.find(c);
  word += name == std::string_view::npos ? c : kValues[name];
}

void ArgumentReader::read_double_quoted(std::string& word, Form form) {
  const bool kept = form == Form::kWord;
  if (kept) word += '"';
  for (++at_; at_ < text_.size(); ++at_) {
    const bool quote = text_[at_] == '"';
    const bool doubled = quote && text_.substr(at_ + 1, 1) == "\"";
    if (quote && (kept || !doubled)) {
      ++at_;
      if (kept) word += '"';
      return;
    }
    if (doubled) ++at_;
    word += text_[at_];
  }
  throw base::Error("the quoted argument has no end");
}

/// `:name`, `:'name'`, `:"name"` or `:{?name}`; anything else, and a variable
/// that is not set, stays as it stands.
void ArgumentReader::read_variable(std::string& word) {
  const std::string_view text = text_.substr(at_);
  const bool test = text.starts_with(":{?");
  const char quote = text.size() > 1 ? text[1] : '\0';
  const bool in_quotes = quote == '\'' || quote == '"';
  const size_t begin = test ? 3 : in_quotes ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && is_variable_character(text[end])) ++end;
  const char closing = test ? '}' : quote;
  const bool closed =
      !(test || in_quotes) || (end < text.size() && text[end] == closing);
  if (variables_ == nullptr || end == begin || !closed) {
    word += text_[at_++];
    return;
  }
  const auto value =
      variables_->find(std::string(text.substr(begin, end - begin)));
  const size_t length = end + (test || in_quotes ? 1 : 0);
  if (test) {
    word += value ? "TRUE" : "FALSE";
  } else if (!value) {
    word += text.substr(0, length);
  } else {
    word += quoted(*value, !in_quotes      ? Quoting::kNone
                           : quote == '\'' ? Quoting::kLiteral
                                           : Quoting::kIdentifier);
  }
  at_ += length;
}

std::string_view ArgumentReader::rest() {
  skip_blanks();
  std::string_view rest = text_.substr(at_);
  if (rest.starts_with("\\\\")) rest.remove_prefix(2);
  return rest;
}

}  // namespace sidegrade::script
