#include "script/lexer_settings.h"

extern "C" {
#include <postgres_fe.h>
// The one above must come first.
#include <mb/pg_wchar.h>
}

namespace sidegrade::script {

std::optional<int> encoding_of(const std::string& name) {
  const int id = pg_char_to_encoding(name.c_str());
  return id >= 0 ? std::optional(id) : std::nullopt;
}

}  // namespace sidegrade::script
