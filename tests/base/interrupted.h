#pragma once

#include "base/error.h"

namespace sidegrade::test {

/// Whether `act` throws Interrupted.
template <typename Act>
bool interrupted(Act act) {
  try {
    act();
  } catch (const base::Interrupted&) {
    return true;
  }
  return false;
}

}  // namespace sidegrade::test
