#pragma once

#include <string>

#include "base/error.h"

namespace sidegrade::test {

/// The sentence of the Error that `act` throws, its hint in a second line.
template <typename Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const base::Error& error) {
    return std::string(error.what()) + "\n" + error.hint();
  }
  return "no error";
}

}  // namespace sidegrade::test
