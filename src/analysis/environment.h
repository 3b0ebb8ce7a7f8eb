#pragma once

#include <string>
#include <vector>

#include "analysis/select.h"

namespace sidegrade::analysis {

/// Something about the machine that was not the same under all kernels.
struct Difference {
  std::string name;                 ///< the fact's dotted name
  std::vector<std::string> values;  ///< one a kernel; "a or b" if it varied
};

/// The environment facts, known under every kernel, that differ between the
/// kernels' runs besides the kernel's own (its release, configuration, boot id)
/// and those that change by themselves (uptime, free memory).
std::vector<Difference> differences(const ComparableRuns& runs);

}  // namespace sidegrade::analysis
