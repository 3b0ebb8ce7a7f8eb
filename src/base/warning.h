#pragma once

#include <string>
#include <vector>

namespace sidegrade::base {

/// Something a person should know that stops nothing: what is so, and what to
/// do about it.
struct Warning {
  std::string cause;
  std::string next_step;

  std::string text() const { return cause + ". " + next_step; }
};

using Warnings = std::vector<Warning>;

}  // namespace sidegrade::base
