#include "script/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

#include "script/sql_cursor.h"

namespace sidegrade::script {
namespace {

using Named = std::pair<NeedKind, std::string>;

/// What one statement uses and makes.
struct Findings {
  std::vector<Named> used;
  std::vector<Named> made;
};

/// One form of a statement: reads what follows `word`.
struct Form {
  std::string_view word;
  void (*read)(SqlCursor& cursor, Findings& findings);
};

/// Reads by the form whose word comes next; false if there is none.
bool read_form(std::span<const Form> forms, SqlCursor& cursor,
               Findings& findings) {
  for (const Form& form : forms) {
    if (!cursor.skip({form.word})) continue;
    form.read(cursor, findings);
    return true;
  }
  return false;
}

/// The same wherever one of the forms is met until the end.
void read_all_forms(std::span<const Form> forms, SqlCursor& cursor,
                    Findings& findings) {
  while (!cursor.at_end()) {
    if (!read_form(forms, cursor, findings)) cursor.advance();
  }
}

std::vector<SqlWord> all_words(SqlWords words) {
  std::vector<SqlWord> all;
  for (SqlWord word; words.next(word);) all.push_back(word);
  return all;
}

/// Words that stand where a role's name does, and roles of every cluster.
bool is_always_there(const SqlWord& role) {
  constexpr std::string_view kWords[] = {
      "all", "default", "current_role", "current_user", "session_user", "user"};
  const std::string name = role.value();
  return name == "postgres" || name == "public" || name == "none" ||
         name.starts_with("pg_") ||
         std::ranges::any_of(kWords, [&](auto word) { return role.is(word); });
}

void read_role(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"group"});
  const auto role = cursor.take_word();
  if (!role || is_always_there(*role)) return;
  findings.used.emplace_back(NeedKind::kRole, role->value());
}

void read_roles(SqlCursor& cursor, Findings& findings) {
  do {
    read_role(cursor, findings);
  } while (cursor.skip({","}));
}

void read_made_role(SqlCursor& cursor, Findings& findings) {
  const auto role = cursor.take_word();
  if (role) findings.made.emplace_back(NeedKind::kRole, role->value());
}

void read_collation(SqlCursor& cursor, Findings& findings) {
  const auto name = cursor.take_name();
  if (name) findings.used.emplace_back(NeedKind::kCollation, *name);
}

void read_collate_clauses(SqlCursor cursor, Findings& findings) {
  constexpr Form kForms[] = {{"collate", read_collation}};
  read_all_forms(kForms, cursor, findings);
}

void read_locale(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"="});
  const auto locale = cursor.take_word();
  if (!locale || locale->is("default")) return;
  findings.used.emplace_back(NeedKind::kLocale, locale->value());
}

void read_owner(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"="});
  read_role(cursor, findings);
}

constexpr Form kOptions[] = {{"owner", read_owner},
                             {"locale", read_locale},
                             {"lc_collate", read_locale},
                             {"lc_ctype", read_locale}};

void create_database_or_tablespace(SqlCursor& cursor, Findings& findings) {
  cursor.take_word();
  read_all_forms(kOptions, cursor, findings);
}

bool is_of_icu(SqlCursor cursor) {
  cursor.skip({"("});
  if (!cursor.seek({"provider"}) || !cursor.skip({"="})) return false;
  const auto provider = cursor.take_word();
  return provider && provider->value() == "icu";
}

void create_collation(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  const auto name = cursor.take_name();
  if (name) findings.made.emplace_back(NeedKind::kCollation, *name);
  if (cursor.skip({"from"})) return read_collation(cursor, findings);
  if (!is_of_icu(cursor)) read_all_forms(kOptions, cursor, findings);
}

void read_range_collation(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"="})) read_collation(cursor, findings);
}

void create_type(SqlCursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"collation", read_range_collation}};
  read_all_forms(kForms, cursor, findings);
}

void create_schema(SqlCursor& cursor, Findings& findings) {
  if (cursor.seek({"authorization"})) read_role(cursor, findings);
}

void create_extension(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  const auto name = cursor.take_word();
  if (!name || name->value() == "plpgsql") return;
  findings.used.emplace_back(NeedKind::kExtension, name->value());
}

void create_language(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"procedural"});
  cursor.skip({"language"});
  // Without a handler it is another way to say CREATE EXTENSION.
  if (!cursor.has_outside("handler")) create_extension(cursor, findings);
}

/// Of a row security policy; RENAME TO has a name there that is no role's.
void read_policy(SqlCursor& cursor, Findings& findings) {
  if (cursor.has_outside("rename")) return;
  if (cursor.seek({"to"})) read_roles(cursor, findings);
}

void read_user_mapping(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  if (cursor.skip({"for"})) read_role(cursor, findings);
}

void create_role(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"mapping"})) return read_user_mapping(cursor, findings);
  constexpr Form kMembers[] = {{"role", read_roles},
                               {"group", read_roles},
                               {"user", read_roles},
                               {"admin", read_roles}};
  read_made_role(cursor, findings);
  read_all_forms(kMembers, cursor, findings);
}

void read_create(SqlCursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"role", create_role},
                             {"user", create_role},
                             {"group", create_role},
                             {"schema", create_schema},
                             {"database", create_database_or_tablespace},
                             {"tablespace", create_database_or_tablespace},
                             {"extension", create_extension},
                             {"trusted", create_language},
                             {"procedural", create_language},
                             {"language", create_language},
                             {"collation", create_collation},
                             {"type", create_type},
                             {"policy", read_policy}};
  read_collate_clauses(cursor, findings);
  cursor.skip({"or", "replace"});
  read_form(kForms, cursor, findings);
}

/// GRANT and REVOKE, of privileges (ON objects) or of roles.
void read_grant(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"grant", "option", "for"});
  cursor.skip({"admin", "option", "for"});
  if (!cursor.has_outside("on")) read_roles(cursor, findings);
  if (cursor.seek({"to", "from"})) read_roles(cursor, findings);
  if (cursor.seek({"granted"}) && cursor.skip({"by"}))
    read_role(cursor, findings);
}

void alter_default_privileges(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"privileges"});
  if (cursor.skip({"for", "role"}) || cursor.skip({"for", "user"}))
    read_roles(cursor, findings);
  if (cursor.seek({"grant", "revoke"})) read_grant(cursor, findings);
}

void read_new_name(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"to"})) read_made_role(cursor, findings);
}

void alter_role(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"mapping"})) return read_user_mapping(cursor, findings);
  constexpr Form kForms[] = {{"user", read_roles}, {"rename", read_new_name}};
  read_role(cursor, findings);
  read_all_forms(kForms, cursor, findings);
}

void read_new_owner(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"to"})) read_role(cursor, findings);
}

/// The names that follow RENAME are the objects' own, be it `owner TO boss`.
void pass_over_rest(SqlCursor& cursor, Findings&) { cursor.seek({}); }

void read_alter(SqlCursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"role", alter_role},
                             {"user", alter_role},
                             {"group", alter_role},
                             {"policy", read_policy},
                             {"default", alter_default_privileges}};
  constexpr Form kActions[] = {{"owner", read_new_owner},
                               {"rename", pass_over_rest}};
  read_collate_clauses(cursor, findings);
  if (!read_form(kForms, cursor, findings))
    read_all_forms(kActions, cursor, findings);
}

/// With IF EXISTS, a role that is missing does no harm.
void drop_role(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"mapping"});
  if (cursor.skip({"if", "exists"})) return;
  cursor.skip({"for"});
  read_roles(cursor, findings);
}

void read_owned(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"by"})) read_roles(cursor, findings);
  if (cursor.skip({"to"})) read_role(cursor, findings);
}

void read_drop(SqlCursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"role", drop_role},
                             {"user", drop_role},
                             {"group", drop_role},
                             {"owned", read_owned}};
  read_form(kForms, cursor, findings);
}

void read_reassign(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"owned"})) read_owned(cursor, findings);
}

void read_set(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"local"});
  cursor.skip({"session"});
  if (!cursor.skip({"role"}) && !cursor.skip({"authorization"}) &&
      !cursor.skip({"session", "authorization"}))
    return;
  cursor.skip({"to"});
  cursor.skip({"="});
  read_role(cursor, findings);
}

/// COMMENT and SECURITY LABEL.
void read_remark(SqlCursor& cursor, Findings& findings) {
  cursor.skip({"label"});
  if (cursor.skip({"for"})) cursor.take_word();
  if (cursor.skip({"on", "role"})) read_role(cursor, findings);
}

void read_create_in_body(SqlCursor& cursor, Findings& findings) {
  if (cursor.skip({"role"}) || cursor.skip({"user"}) || cursor.skip({"group"}))
    read_made_role(cursor, findings);
}

/// Scripts that may be executed twice make their roles in a DO, if missing.
void read_do(SqlCursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"create", read_create_in_body}};
  while (const auto part = cursor.take_word()) {
    if (part->kind != SqlWord::Kind::kDollarString) continue;
    const std::vector<SqlWord> words = all_words(SqlWords(part->text));
    SqlCursor body(words);
    read_all_forms(kForms, body, findings);
  }
}

constexpr Form kStatements[] = {
    {"create", read_create},     {"alter", read_alter},
    {"grant", read_grant},       {"revoke", read_grant},
    {"set", read_set},           {"drop", read_drop},
    {"reassign", read_reassign}, {"comment", read_remark},
    {"security", read_remark},   {"do", read_do}};

Findings read_statement(const SqlWords& words) {
  Findings findings;
  SqlWord first;
  if (!SqlWords(words).next(first) ||
      std::ranges::none_of(
          kStatements, [&](const Form& form) { return first.is(form.word); }))
    return findings;
  const std::vector<SqlWord> all = all_words(words);
  SqlCursor cursor(all);
  read_form(kStatements, cursor, findings);
  return findings;
}

}  // namespace

void NeedsCollector::read(std::string_view statement,
                          const LexerSettings& settings,
                          std::string_view file_name, int64_t line) {
  const Findings findings = read_statement(SqlWords(statement, settings));
  for (const Named& used : findings.used) {
    if (!known_.insert(used).second) continue;
    needs_.push_back({.kind = used.first,
                      .name = used.second,
                      .place = fmt::format("{}:{}", file_name, line)});
  }
  known_.insert(findings.made.begin(), findings.made.end());
}

}  // namespace sidegrade::script
