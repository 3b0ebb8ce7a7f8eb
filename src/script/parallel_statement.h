#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "script/lexer_settings.h"

namespace sidegrade::script {

/// What several connections may do with a statement.
struct ParallelStatement {
  enum class Kind {
    kNone,        ///< alone, after all before it and before all behind it
    kRows,        ///< COPY t FROM STDIN
    kBuild,       ///< an index, a key or a check of one table
    kForeignKey,  ///< after all builds
    kSetting,     ///< every connection needs it: SET, set_config
    kComment,     ///< may wait until the builds before it have ended
  };

  Kind kind = Kind::kNone;
  /// Names of the tables that it locks, without their schemas: equal names of
  /// different schemas count as one table, which costs a wait at most.
  std::vector<std::string> tables;
  bool exclusive = false;  ///< nothing else may work on these tables meanwhile
  bool slow = false;  ///< a build by a method that takes its time: gin, gist
  bool line_is_row = false;  ///< COPY in text format without options
};

/// By the statement's own words: whether its tables exist for other
/// connections (none of a transaction that is open, none that is temporary) is
/// the caller's to know. What is not understood is kNone.
ParallelStatement parallel_statement(std::string_view text,
                                     const LexerSettings& settings = {});

}  // namespace sidegrade::script
