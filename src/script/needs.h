#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "script/lexer_settings.h"

namespace sidegrade::script {

enum class NeedKind {
  kRole,
  kExtension,
  kCollation,  ///< without its schema
  kLocale,     ///< of the C library, for a new database or collation
};

/// Something that scripts use but do not make before that.
struct Need {
  bool operator==(const Need&) const = default;

  NeedKind kind = NeedKind::kRole;
  std::string name;
  std::string place;  ///< of its first use: "dump.sql:12"
};

/// Finds what scripts need from outside themselves by reading their statements
/// in the order of execution. What every cluster has is no need: the roles
/// postgres and pg_…, the extension plpgsql. Function bodies and strings are
/// not looked into, but for a CREATE ROLE in the body of a DO.
class NeedsCollector {
 public:
  /// `line` is where the statement begins in `file_name`. Cheap for statements
  /// that bring rows: only their first word is read.
  void read(std::string_view statement, const LexerSettings& settings,
            std::string_view file_name, int64_t line);

  /// In order of first use.
  const std::vector<Need>& needs() const { return needs_; }

 private:
  std::set<std::pair<NeedKind, std::string>> known_;  ///< needed or made
  std::vector<Need> needs_;
};

}  // namespace sidegrade::script
