#include "script/client_copy.h"

#include <cctype>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::script {
namespace {

/// A token and where it stands, so that the rest can be passed on as it is.
struct Token {
  std::string_view text;
  size_t end = 0;

  bool is(std::string_view word) const {
    if (text.size() != word.size()) return false;
    for (size_t i = 0; i < word.size(); ++i) {
      if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) {
        return false;
      }
    }
    return true;
  }
};

/// The next word, quoted text or parenthesis from `at`; empty at the end.
Token next_token(std::string_view text, size_t at) {
  while (at < text.size() && base::is_space(text[at])) ++at;
  const size_t begin = at;
  if (at < text.size() && (text[at] == '(' || text[at] == ')')) {
    return {text.substr(begin, 1), at + 1};
  }
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && (base::is_space(c) || c == '(' || c == ')')) break;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
  }
  if (quote != '\0') throw base::Error("a quoted word has no end");
  return {text.substr(begin, at - begin), at};
}

/// The file's name without its quotes.
std::string unquoted(std::string_view word) {
  if (word.size() < 2 || word.front() != '\'') return std::string(word);
  std::string name;
  for (size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == '\'') ++i;  // doubled
    name += word[i];
  }
  return name;
}

}  // namespace

ClientCopy read_client_copy(std::string_view arguments) {
  int depth = 0;
  size_t at = 0;
  Token token;
  size_t before = 0;
  for (;;) {
    before = at;
    token = next_token(arguments, at);
    at = token.end;
    if (token.text.empty()) throw base::Error("it lacks FROM");
    if (token.text == "(") ++depth;
    if (token.text == ")") --depth;
    if (depth != 0) continue;
    if (token.is("to")) {
      throw base::Error("it writes, and a measured script only brings rows in");
    }
    if (token.is("from")) break;
  }
  const std::string_view table = base::trim(arguments.substr(0, before));
  const Token source = next_token(arguments, at);
  if (source.text.empty()) throw base::Error("it names no file");
  if (source.is("program")) throw base::Error("a program is not executed");
  const bool from_script = source.is("stdin") || source.is("pstdin");
  std::string_view options = base::trim(arguments.substr(source.end));
  if (options.ends_with(';')) options.remove_suffix(1);
  ClientCopy copy{.statement = "COPY " + std::string(table) + " FROM STDIN " +
                               std::string(options)};
  if (!from_script) copy.file = unquoted(source.text);
  return copy;
}

}  // namespace sidegrade::script
