#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace sidegrade::analysis {

/// What to compare; what is left empty follows the newest run.
struct Selection {
  /// In the order wanted; each as `uname -r` spells it, or its beginning up to
  /// a dot or hyphen. Empty: all, in the order they were first measured.
  std::vector<std::string> kernels;
  std::string scenario;  ///< its name
  std::string host;
};

/// Runs that did the same work on the same host.
struct ComparableRuns {
  std::string host;
  std::string scenario;
  std::vector<std::string> kernels;     ///< `uname -r`, in order
  std::vector<const store::Run*> runs;  ///< oldest first; part of the history
  std::vector<std::string> notes;       ///< what was left out, and why
};

/// The runs of one host and scenario whose scenario file and imported data are
/// those of the newest among them; runs whose environment changed are left out.
/// Throws Error if nothing is left or a name is unknown or ambiguous.
ComparableRuns select_runs(const store::History& history,
                           const Selection& selection);

}  // namespace sidegrade::analysis
