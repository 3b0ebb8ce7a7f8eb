#pragma once

#include <optional>
#include <string>

namespace sidegrade::script {

/// What decides how psql's lexer reads the text that follows: libpq encoding id
/// and standard_conforming_strings, both as the session has them now.
struct LexerSettings {
  int encoding = 6;  ///< PG_UTF8
  bool standard_strings = true;
};

/// The id of an encoding by one of its names ("UTF8", "latin1").
std::optional<int> encoding_of(const std::string& name);

}  // namespace sidegrade::script
