#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "workload/inputs.h"
#include "workload/spec.h"

namespace sidegrade::workload {

/// A part of a file that a phase executes: from where the stretch before it
/// ended (or the file's begin) until step `until`.
struct Stretch {
  static constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

  bool operator==(const Stretch&) const = default;

  size_t file = 0;  ///< its place in Inputs::files
  int64_t until = kToTheEnd;
  PhaseKind phase = PhaseKind::kImport;
};

/// Which part of which file belongs to which phase, over the whole sequence of
/// files and in its order: what comes before the first data is schema (behind a
/// schema file: import), what follows the last is index from its first index or
/// constraint on, and all between is import. Without any data all is schema.
/// psql executes whole files, and a script whose course depends on the session
/// has no parts either: these are import. A phase that `spec` leaves out leaves
/// its statements to import: they must run all the same.
std::vector<Stretch> plan_stretches(const std::vector<InputFile>& files,
                                    const WorkloadSpec& spec);

}  // namespace sidegrade::workload
