#pragma once

#include <stdexcept>
#include <string>

namespace sidegrade::base {

/// What went wrong, as one whole sentence that names the file, device, target
/// or scenario, and a hint: the next step for the person who reads it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, std::string hint = "");

  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

/// The user asked to stop (Ctrl-C, SIGTERM). Not a failure of what was running.
class Interrupted : public Error {
 public:
  Interrupted();
};

/// Throws an Error of `sentence`, a colon, and what errno says.
[[noreturn]] void throw_errno(const std::string& sentence,
                              const std::string& hint = "");

/// The text of errno value `code`, as strerror gives it.
std::string errno_text(int code);

}  // namespace sidegrade::base
