#include "postgres/script_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/error.h"
#include "postgres/script_reader.h"

namespace sidegrade::postgres {
namespace {

/// How many words of a statement decide its kind; `ALTER TABLE IF EXISTS ONLY
/// schema.table ADD CONSTRAINT` is the longest head.
constexpr size_t kHeadWords = 12;

void skip_block_comment(std::string_view text, size_t& at) {
  int depth = 0;
  while (at < text.size()) {
    if (text.substr(at, 2) == "/*") {
      ++depth;
      at += 2;
    } else if (text.substr(at, 2) == "*/") {
      at += 2;
      if (--depth == 0) return;
    } else {
      ++at;
    }
  }
}

/// Moves `at` to the next word; false if there is none.
bool skip_to_word(std::string_view text, size_t& at) {
  while (at < text.size()) {
    if (text.substr(at, 2) == "--") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      skip_block_comment(text, at);
    } else if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else {
      return true;
    }
  }
  return false;
}

/// The first words in lower case; a quoted name counts as one, `(` ends a word.
std::vector<std::string> head_words(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while (words.size() < kHeadWords && skip_to_word(text, at)) {
    std::string word;
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (!quoted && (std::isspace(c) != 0 || c == '(')) break;
      if (c == '"') quoted = !quoted;
      word += static_cast<char>(std::tolower(c));
    }
    if (word.empty()) ++at;  // a parenthesis
    words.push_back(word);
  }
  words.resize(kHeadWords);
  return words;
}

bool is_one_of(const std::string& word,
               std::initializer_list<std::string_view> candidates) {
  return std::find(candidates.begin(), candidates.end(), word) !=
         candidates.end();
}

bool creates_post_data(const std::vector<std::string>& words) {
  const std::string& object =
      is_one_of(words[1], {"unique", "constraint", "event"}) ? words[2]
                                                             : words[1];
  return is_one_of(object, {"index", "trigger", "rule", "statistics", "policy",
                            "publication", "subscription"});
}

bool alters_to_post_data(const std::vector<std::string>& words) {
  if (words[1] == "index") return true;
  if (words[1] != "table") return false;
  const auto action =
      std::find_if(words.begin() + 2, words.end(), [](const std::string& word) {
        return is_one_of(
            word, {"add", "attach", "cluster", "replica", "enable", "force"});
      });
  if (action == words.end()) return false;
  if (*action != "add") return true;
  return action + 1 != words.end() &&
         is_one_of(*(action + 1), {"constraint", "primary", "unique", "foreign",
                                   "check", "exclude"});
}

/// Follows `SET standard_conforming_strings` as the session would.
void follow_settings(std::string_view text, LexerSettings& settings) {
  const std::vector<std::string> words = head_words(text);
  if (words[0] != "set") return;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with("standard_conforming_strings")) continue;
    settings.standard_strings = text.find("off") == std::string_view::npos;
    return;
  }
}

std::string shown(const BackslashCommand& command) {
  std::string text = "\\" + command.name;
  if (!command.arguments.empty()) text += " " + command.arguments[0];
  return text;
}

void skip_copy_data(ScriptReader& reader, int64_t line) {
  ScriptFile::CopyPiece piece;
  do {
    piece = reader.next_copy_piece();
  } while (!piece.last);
  if (piece.marker_found) return;
  throw base::Error(
      fmt::format(
          "{}: the COPY data that begin here have no end: the line \\. is "
          "missing",
          reader.place(line)),
      "Was the file cut short? psql would take all that follows as rows.");
}

}  // namespace

bool is_understood(const BackslashCommand& command) {
  if (command.name == "set") {
    return !command.arguments.empty() &&
           command.arguments[0] == "ON_ERROR_STOP";
  }
  return is_one_of(command.name,
                   {"connect", "c", "restrict", "unrestrict", "encoding"});
}

StatementKind classify_statement(std::string_view text) {
  const std::vector<std::string> words = head_words(text);
  const std::string& verb = words[0];
  if (verb == "insert" || verb == "copy") return StatementKind::kData;
  if (verb == "select" && (words[1].starts_with("pg_catalog.setval") ||
                           words[1].starts_with("setval") ||
                           words[1].starts_with("pg_catalog.lo_"))) {
    return StatementKind::kData;
  }
  if (verb == "create" && creates_post_data(words))
    return StatementKind::kPostData;
  if (verb == "alter" && alters_to_post_data(words))
    return StatementKind::kPostData;
  if (verb == "refresh") return StatementKind::kPostData;
  return StatementKind::kOther;
}

ScriptOutline outline_script(const std::filesystem::path& path) {
  constexpr int64_t kNone = -1;
  ScriptReader reader(path);
  LexerSettings settings;
  int64_t first_data = kNone;
  int64_t first_post_data = kNone;  // since the last data
  ScriptStep step;
  while (reader.next(settings, step)) {
    const int64_t index = reader.steps() - 1;
    if (const auto* command = std::get_if<BackslashCommand>(&step)) {
      if (is_understood(*command)) continue;
      throw base::Error(
          fmt::format("{}: the backslash command {} is not understood",
                      reader.place(command->line), shown(*command)),
          "Take it out, or let psql read the file: client: psql in the "
          "workload.");
    }
    const auto& statement = std::get<Statement>(step);
    for (int i = 0; i < statement.copies_from_stdin; ++i) {
      skip_copy_data(reader, statement.line);
    }
    follow_settings(statement.text, settings);
    const StatementKind kind = classify_statement(statement.text);
    if (kind == StatementKind::kData) {
      if (first_data == kNone) first_data = index;
      first_post_data = kNone;
    } else if (kind == StatementKind::kPostData && first_data != kNone &&
               first_post_data == kNone) {
      first_post_data = index;
    }
  }
  ScriptOutline outline{.steps = reader.steps(), .bytes = reader.offset()};
  outline.data_begin = first_data == kNone ? outline.steps : first_data;
  outline.data_end = first_post_data == kNone ? outline.steps : first_post_data;
  return outline;
}

}  // namespace sidegrade::postgres
