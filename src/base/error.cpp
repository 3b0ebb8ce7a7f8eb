#include "base/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace sidegrade::base {

Error::Error(const std::string& sentence, std::string hint)
    : std::runtime_error(sentence), hint_(std::move(hint)) {}

Interrupted::Interrupted() : Error("interrupted") {}

std::string errno_text(int code) {
  return std::generic_category().message(code);
}

void throw_errno(const std::string& sentence, const std::string& hint) {
  const int code = errno;
  throw Error(sentence + ": " + errno_text(code), hint);
}

}  // namespace sidegrade::base
