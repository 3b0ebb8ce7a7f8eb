#include "script/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

#include "script/sql_words.h"

namespace sidegrade::script {
namespace {

using Named = std::pair<NeedKind, std::string>;

/// What one statement uses and makes.
struct Findings {
  std::vector<Named> used;
  std::vector<Named> made;
};

/// Walks over the words of one statement.
class Cursor {
 public:
  explicit Cursor(std::span<const SqlWord> words) : words_(words) {}

  bool at_end() const { return words_.empty(); }
  void advance() { words_ = words_.subspan(1); }

  /// Passes over these words if they come next.
  bool skip(std::initializer_list<std::string_view> words) {
    if (words.size() > words_.size() ||
        !std::equal(
            words.begin(), words.end(), words_.begin(),
            [](auto word, const SqlWord& next) { return next.is(word); }))
      return false;
    words_ = words_.subspan(words.size());
    return true;
  }

  /// Goes behind the next of these words that is in no parentheses begun from
  /// here, or to the end.
  bool seek(std::initializer_list<std::string_view> words) {
    for (int depth = 0; !at_end();) {
      const SqlWord word = words_.front();
      advance();
      if (word.is("(")) ++depth;
      if (word.is(")")) --depth;
      if (depth == 0 && std::any_of(words.begin(), words.end(),
                                    [&](auto one) { return word.is(one); }))
        return true;
    }
    return false;
  }

  bool has(std::string_view word) const { return Cursor(*this).seek({word}); }

  std::optional<SqlWord> take_name() {
    if (at_end() || words_.front().kind == SqlWord::Kind::kSign) return {};
    const SqlWord name = words_.front();
    advance();
    return name;
  }

 private:
  std::span<const SqlWord> words_;
};

/// One form of a statement: reads what follows `word`.
struct Form {
  std::string_view word;
  void (*read)(Cursor& cursor, Findings& findings);
};

/// Reads by the form whose word comes next; false if there is none.
bool read_form(std::span<const Form> forms, Cursor& cursor,
               Findings& findings) {
  for (const Form& form : forms) {
    if (!cursor.skip({form.word})) continue;
    form.read(cursor, findings);
    return true;
  }
  return false;
}

/// The same wherever one of the forms is met until the end.
void read_all_forms(std::span<const Form> forms, Cursor& cursor,
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

void read_role(Cursor& cursor, Findings& findings) {
  cursor.skip({"group"});
  const auto role = cursor.take_name();
  if (!role || is_always_there(*role)) return;
  findings.used.emplace_back(NeedKind::kRole, role->value());
}

void read_roles(Cursor& cursor, Findings& findings) {
  do {
    read_role(cursor, findings);
  } while (cursor.skip({","}));
}

void read_made_role(Cursor& cursor, Findings& findings) {
  const auto role = cursor.take_name();
  if (role) findings.made.emplace_back(NeedKind::kRole, role->value());
}

/// A collation's name without its schema; empty if there is none.
std::string take_collation(Cursor& cursor) {
  auto name = cursor.take_name();
  while (name && cursor.skip({"."})) name = cursor.take_name();
  return name ? name->value() : "";
}

void read_collation(Cursor& cursor, Findings& findings) {
  const std::string name = take_collation(cursor);
  if (!name.empty()) findings.used.emplace_back(NeedKind::kCollation, name);
}

void read_collate_clauses(Cursor cursor, Findings& findings) {
  constexpr Form kForms[] = {{"collate", read_collation}};
  read_all_forms(kForms, cursor, findings);
}

void read_locale(Cursor& cursor, Findings& findings) {
  cursor.skip({"="});
  const auto locale = cursor.take_name();
  if (!locale || locale->is("default")) return;
  findings.used.emplace_back(NeedKind::kLocale, locale->value());
}

void read_owner(Cursor& cursor, Findings& findings) {
  cursor.skip({"="});
  read_role(cursor, findings);
}

constexpr Form kOptions[] = {{"owner", read_owner},
                             {"locale", read_locale},
                             {"lc_collate", read_locale},
                             {"lc_ctype", read_locale}};

void create_database_or_tablespace(Cursor& cursor, Findings& findings) {
  cursor.take_name();
  read_all_forms(kOptions, cursor, findings);
}

bool is_of_icu(Cursor cursor) {
  cursor.skip({"("});
  if (!cursor.seek({"provider"}) || !cursor.skip({"="})) return false;
  const auto provider = cursor.take_name();
  return provider && provider->value() == "icu";
}

void create_collation(Cursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  findings.made.emplace_back(NeedKind::kCollation, take_collation(cursor));
  if (cursor.skip({"from"})) return read_collation(cursor, findings);
  if (!is_of_icu(cursor)) read_all_forms(kOptions, cursor, findings);
}

void read_range_collation(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"="})) read_collation(cursor, findings);
}

void create_type(Cursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"collation", read_range_collation}};
  read_all_forms(kForms, cursor, findings);
}

void create_schema(Cursor& cursor, Findings& findings) {
  if (cursor.seek({"authorization"})) read_role(cursor, findings);
}

void create_extension(Cursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  const auto name = cursor.take_name();
  if (!name || name->value() == "plpgsql") return;
  findings.used.emplace_back(NeedKind::kExtension, name->value());
}

void create_language(Cursor& cursor, Findings& findings) {
  cursor.skip({"procedural"});
  cursor.skip({"language"});
  // Without a handler it is another way to say CREATE EXTENSION.
  if (!cursor.has("handler")) create_extension(cursor, findings);
}

/// Of a row security policy; RENAME TO has a name there that is no role's.
void read_policy(Cursor& cursor, Findings& findings) {
  if (cursor.has("rename")) return;
  if (cursor.seek({"to"})) read_roles(cursor, findings);
}

void read_user_mapping(Cursor& cursor, Findings& findings) {
  cursor.skip({"if", "not", "exists"});
  if (cursor.skip({"for"})) read_role(cursor, findings);
}

void create_role(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"mapping"})) return read_user_mapping(cursor, findings);
  constexpr Form kMembers[] = {{"role", read_roles},
                               {"group", read_roles},
                               {"user", read_roles},
                               {"admin", read_roles}};
  read_made_role(cursor, findings);
  read_all_forms(kMembers, cursor, findings);
}

void read_create(Cursor& cursor, Findings& findings) {
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
void read_grant(Cursor& cursor, Findings& findings) {
  cursor.skip({"grant", "option", "for"});
  cursor.skip({"admin", "option", "for"});
  if (!cursor.has("on")) read_roles(cursor, findings);
  if (cursor.seek({"to", "from"})) read_roles(cursor, findings);
  if (cursor.seek({"granted"}) && cursor.skip({"by"}))
    read_role(cursor, findings);
}

void alter_default_privileges(Cursor& cursor, Findings& findings) {
  cursor.skip({"privileges"});
  if (cursor.skip({"for", "role"}) || cursor.skip({"for", "user"}))
    read_roles(cursor, findings);
  if (cursor.seek({"grant", "revoke"})) read_grant(cursor, findings);
}

void read_new_name(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"to"})) read_made_role(cursor, findings);
}

void alter_role(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"mapping"})) return read_user_mapping(cursor, findings);
  constexpr Form kForms[] = {{"user", read_roles}, {"rename", read_new_name}};
  read_role(cursor, findings);
  read_all_forms(kForms, cursor, findings);
}

void read_new_owner(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"to"})) read_role(cursor, findings);
}

/// The names that follow RENAME are the objects' own, be it `owner TO boss`.
void pass_over_rest(Cursor& cursor, Findings&) { cursor.seek({}); }

void read_alter(Cursor& cursor, Findings& findings) {
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
void drop_role(Cursor& cursor, Findings& findings) {
  cursor.skip({"mapping"});
  if (cursor.skip({"if", "exists"})) return;
  cursor.skip({"for"});
  read_roles(cursor, findings);
}

void read_owned(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"by"})) read_roles(cursor, findings);
  if (cursor.skip({"to"})) read_role(cursor, findings);
}

void read_drop(Cursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"role", drop_role},
                             {"user", drop_role},
                             {"group", drop_role},
                             {"owned", read_owned}};
  read_form(kForms, cursor, findings);
}

void read_reassign(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"owned"})) read_owned(cursor, findings);
}

void read_set(Cursor& cursor, Findings& findings) {
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
void read_remark(Cursor& cursor, Findings& findings) {
  cursor.skip({"label"});
  if (cursor.skip({"for"})) cursor.take_name();
  if (cursor.skip({"on", "role"})) read_role(cursor, findings);
}

void read_create_in_body(Cursor& cursor, Findings& findings) {
  if (cursor.skip({"role"}) || cursor.skip({"user"}) || cursor.skip({"group"}))
    read_made_role(cursor, findings);
}

/// Scripts that may be executed twice make their roles in a DO, if missing.
void read_do(Cursor& cursor, Findings& findings) {
  constexpr Form kForms[] = {{"create", read_create_in_body}};
  while (const auto part = cursor.take_name()) {
    if (part->kind != SqlWord::Kind::kDollarString) continue;
    const std::vector<SqlWord> words = all_words(SqlWords(part->text));
    Cursor body(words);
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
  Cursor cursor(all);
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
