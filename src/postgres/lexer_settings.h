#pragma once

namespace sidegrade::postgres {

/// What decides how psql's lexer reads the text that follows: libpq encoding id
/// and standard_conforming_strings, both as the session has them now.
struct LexerSettings {
  int encoding = 6;  ///< PG_UTF8
  bool standard_strings = true;
};

}  // namespace sidegrade::postgres
