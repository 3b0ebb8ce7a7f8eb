#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/select.h"
#include "analysis/statistics.h"

namespace sidegrade::analysis {

/// A time that is compared: the sum of the metrics it is made of.
struct Measure {
  std::string name;   ///< "server_cpu_s"
  std::string label;  ///< "server cpu"
  std::vector<std::string> metrics;
};

/// Real, user and sys of the client, and the server's CPU time.
const std::vector<Measure>& default_measures();

/// Which kernel, target and phase, as indices into SeriesTable's lists.
struct Place {
  size_t kernel = 0;
  size_t target = 0;
  size_t phase = 0;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.kernel, a.target, a.phase) <
           std::tie(b.kernel, b.target, b.phase);
  }
};

struct SeriesTable {
  std::vector<std::string> kernels;
  std::vector<std::string> targets;  ///< as the scenario orders them
  std::vector<std::string> phases;   ///< likewise
  std::vector<Measure> measures;
  std::map<Place, std::vector<Series>> series;  ///< a series for each measure
  std::vector<std::string> notes;  ///< trials left out, warnings, doubts

  /// An empty series where nothing was measured.
  const Series& at(const Place& place, size_t measure) const;
};

/// Groups what the trials measured. Warm-ups and failed trials don't count; a
/// phase without one of a measure's metrics gives it no value.
SeriesTable collect_series(const ComparableRuns& runs,
                           const std::vector<Measure>& measures);

}  // namespace sidegrade::analysis
