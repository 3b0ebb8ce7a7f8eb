#include "script/parallel_statement.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "script/sql_cursor.h"

namespace sidegrade::script {
namespace {

using Kind = ParallelStatement::Kind;

ParallelStatement alone() { return {}; }

/// Another transaction can't do what FREEZE asks for.
ParallelStatement read_copy(SqlCursor words) {
  const bool binary = words.skip({"binary"});
  const auto table = words.take_name();
  if (words.at("(")) words.skip_group();
  if (!table || !words.skip({"from", "stdin"}) || words.has("freeze")) {
    return alone();
  }
  return {.kind = Kind::kRows,
          .tables = {*table},
          .line_is_row = !binary && words.at_end()};
}

ParallelStatement read_create(SqlCursor words) {
  words.skip({"unique"});
  if (!words.skip({"index"}) || words.skip({"concurrently"})) return alone();
  words.skip({"if", "not", "exists"});
  if (!words.at("on")) words.take_name();
  if (!words.skip({"on"})) return alone();
  words.skip({"only"});
  const auto table = words.take_name();
  if (!table) return alone();
  const bool slow = words.skip({"using"}) &&
                    (words.at("gin") || words.at("gist") || words.at("spgist"));
  return {.kind = Kind::kBuild, .tables = {*table}, .slow = slow};
}

/// UNIQUE USING INDEX, as PRIMARY KEY, makes use of an index, and builds none.
bool builds(SqlCursor words) {
  if (words.skip({"check"})) return true;
  if (words.skip({"exclude"})) return words.at("using") || words.at("(");
  if (!words.skip({"primary", "key"}) && !words.skip({"unique"})) return false;
  words.skip({"nulls"});
  words.skip({"not"});
  words.skip({"distinct"});
  return words.at("(");
}

ParallelStatement read_foreign_key(const std::string& table, SqlCursor words) {
  if (words.at("(")) words.skip_group();
  if (!words.skip({"references"})) return alone();
  const auto referenced = words.take_name();
  if (!referenced) return alone();
  return {.kind = Kind::kForeignKey,
          .tables = {table, *referenced},
          .exclusive = true};
}

ParallelStatement read_alter(SqlCursor words) {
  if (!words.skip({"table"})) return alone();
  words.skip({"if", "exists"});
  words.skip({"only"});
  const auto table = words.take_name();
  words.skip({"*"});
  if (!table || !words.skip({"add"}) || words.has_outside(",")) return alone();
  if (words.skip({"constraint"})) words.take_name();
  if (words.skip({"foreign", "key"})) return read_foreign_key(*table, words);
  if (!builds(words)) return alone();
  return {.kind = Kind::kBuild, .tables = {*table}, .exclusive = true};
}

ParallelStatement read_set(SqlCursor words) {
  for (const auto* scope : {"local", "constraints", "transaction"}) {
    if (words.at(scope)) return alone();
  }
  return {.kind = Kind::kSetting};
}

/// SELECT set_config('name', 'value', false), and nothing else.
ParallelStatement read_select(SqlCursor words) {
  words.skip({"pg_catalog", "."});
  const bool whole = words.skip({"set_config", "("}) && words.skip_string() &&
                     words.skip({","}) && words.skip_string() &&
                     words.skip({",", "false", ")"}) && words.at_end();
  return {.kind = whole ? Kind::kSetting : Kind::kNone};
}

ParallelStatement read_reset(SqlCursor) { return {.kind = Kind::kSetting}; }

ParallelStatement read_comment(SqlCursor words) {
  return {.kind = words.at("on") ? Kind::kComment : Kind::kNone};
}

struct Form {
  std::string_view word;
  ParallelStatement (*read)(SqlCursor words);
};

constexpr Form kForms[] = {{"copy", read_copy},      {"create", read_create},
                           {"alter", read_alter},    {"set", read_set},
                           {"select", read_select},  {"reset", read_reset},
                           {"comment", read_comment}};

/// The words up to the semicolon; none if more than one statement stands there.
std::vector<SqlWord> words_of_one(SqlWords words) {
  std::vector<SqlWord> all;
  for (SqlWord word; words.next(word);) {
    if (!all.empty() && all.back().is(";")) return {};
    all.push_back(word);
  }
  if (!all.empty() && all.back().is(";")) all.pop_back();
  return all;
}

}  // namespace

ParallelStatement parallel_statement(std::string_view text,
                                     const LexerSettings& settings) {
  const SqlWords words(text, settings);
  SqlWord first;
  // The other words are looked at only if need be: an INSERT may have many.
  if (!SqlWords(words).next(first)) return alone();
  for (const Form& form : kForms) {
    if (!first.is(form.word)) continue;
    const std::vector<SqlWord> all = words_of_one(words);
    return all.empty() ? alone()
                       : form.read(SqlCursor(std::span(all).subspan(1)));
  }
  return alone();
}

}  // namespace sidegrade::script
