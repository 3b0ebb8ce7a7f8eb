#pragma once

#include <filesystem>
#include <string>

#include "bench/paths.h"

namespace sidegrade::bench {

/// Where a trial's cluster keeps its data, on the target.
inline std::filesystem::path data_directory_of(
    const std::filesystem::path& folder) {
  return folder / "pgdata";
}

/// Where it keeps its socket and log, off the target.
inline std::filesystem::path private_directory_of(const Paths& paths,
                                                  const std::string& trial_id) {
  return paths.runtime / ("sidegrade-" + trial_id + "-server");
}

}  // namespace sidegrade::bench
