#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sidegrade::script {

/// `\copy`'s arguments, as psql takes them apart (its copy.c).
struct ClientCopy {
  std::string statement;  ///< COPY … FROM STDIN …, for the server
  std::string file;       ///< empty: the rows follow in the script
};

/// Throws Error for what can't be read, and for all but rows that come from a
/// file or from the script.
ClientCopy read_client_copy(std::string_view arguments);

}  // namespace sidegrade::script
