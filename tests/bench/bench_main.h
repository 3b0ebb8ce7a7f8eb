#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/error.h"

namespace sidegrade::test {

/// Does the work of a benchmark's main: 0, or 1 after telling what was thrown.
template <typename Work>
int run_bench(Work work) {
  try {
    work();
    return 0;
  } catch (const base::Error& error) {
    fmt::print(stderr, "error: {}\n{}\n", error.what(), error.hint());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return 1;
}

}  // namespace sidegrade::test
