#include "script/statement_kind.h"

#include <algorithm>
#include <string>
#include <vector>

#include "script/sql_words.h"

namespace sidegrade::script {
namespace {

/// How many words of a statement decide its kind; `ALTER TABLE IF EXISTS ONLY
/// schema.table ADD CONSTRAINT` is the longest head.
constexpr size_t kHeadWords = 14;

std::vector<SqlWord> head_of(std::string_view text) {
  std::vector<SqlWord> words;
  SqlWords source(text);
  SqlWord word;
  while (words.size() < kHeadWords && source.next(word)) words.push_back(word);
  return words;
}

bool is_one_of(const SqlWord& word,
               std::initializer_list<std::string_view> candidates) {
  return std::any_of(
      candidates.begin(), candidates.end(),
      [&](std::string_view candidate) { return word.is(candidate); });
}

/// The head's word number `i`, or one that is like no other.
SqlWord word_at(const std::vector<SqlWord>& words, size_t i) {
  return i < words.size() ? words[i] : SqlWord{};
}

bool brings_data(const std::vector<SqlWord>& words) {
  if (is_one_of(word_at(words, 0), {"insert", "copy"})) return true;
  if (!word_at(words, 0).is("select")) return false;
  const bool qualified = word_at(words, 1).is("pg_catalog");
  const SqlWord function = word_at(words, qualified ? 3 : 1);
  return function.is("setval") || function.text.starts_with("lo_");
}

bool creates_post_data(const std::vector<SqlWord>& words) {
  const bool two_words =
      is_one_of(word_at(words, 1), {"unique", "constraint", "event"});
  return is_one_of(word_at(words, two_words ? 2 : 1),
                   {"index", "trigger", "rule", "statistics", "policy",
                    "publication", "subscription"});
}

bool alters_to_post_data(const std::vector<SqlWord>& words) {
  if (word_at(words, 1).is("index")) return true;
  if (!word_at(words, 1).is("table")) return false;
  for (size_t i = 2; i < words.size(); ++i) {
    if (is_one_of(words[i],
                  {"attach", "cluster", "replica", "enable", "force"})) {
      return true;
    }
    if (words[i].is("add")) {
      return is_one_of(
          word_at(words, i + 1),
          {"constraint", "primary", "unique", "foreign", "check", "exclude"});
    }
  }
  return false;
}

/// The name behind VERB DATABASE [IF EXISTS].
std::string_view database_after(std::string_view verb, std::string_view text) {
  SqlWords source(text);
  SqlWord word;
  if (!source.next(word) || !word.is(verb)) return {};
  if (!source.next(word) || !word.is("database")) return {};
  while (source.next(word) && is_one_of(word, {"if", "exists"})) {
  }
  return word.text;
}

}  // namespace

StatementKind classify_statement(std::string_view text) {
  const std::vector<SqlWord> words = head_of(text);
  if (brings_data(words)) return StatementKind::kData;
  const SqlWord verb = word_at(words, 0);
  const bool post_data = (verb.is("create") && creates_post_data(words)) ||
                         (verb.is("alter") && alters_to_post_data(words)) ||
                         verb.is("refresh");
  return post_data ? StatementKind::kPostData : StatementKind::kOther;
}

bool ties_rows_together(std::string_view text) {
  SqlWords source(text);
  SqlWord word;
  if (!source.next(word) || !is_one_of(word, {"create", "alter"})) return false;
  if (!source.next(word)) return false;
  if (word.is("constraint")) return true;  // CREATE CONSTRAINT TRIGGER
  if (word.is("or")) {                     // OR REPLACE
    source.next(word);
    source.next(word);
  }
  if (is_one_of(word, {"trigger", "rule", "temp", "temporary"})) return true;
  if (!word.is("table")) return false;
  while (source.next(word)) {
    if (is_one_of(word, {"references", "foreign"})) return true;
  }
  return false;
}

std::string_view dropped_database(std::string_view text) {
  return database_after("drop", text);
}

std::string_view created_database(std::string_view text) {
  return database_after("create", text);
}

}  // namespace sidegrade::script
