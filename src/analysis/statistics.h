#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sidegrade::analysis {

/// The values measured on one boot.
struct Boot {
  std::string boot_id;
  std::vector<double> values;
};

/// The values of one quantity of one phase on one target under one kernel.
using Series = std::vector<Boot>;

struct Summary {
  double median = 0;             ///< of the boots' medians
  std::optional<double> spread;  ///< half the interquartile range of all
                                 ///< trials; absent for a single one
  size_t trials = 0;
  size_t boots = 0;
};

/// The value below which the share `p` (0 to 1) of the values lies, with linear
/// interpolation between neighbours (Hyndman and Fan's type 7). `values` must
/// not be empty.
double quantile(std::vector<double> values, double p);

/// Nothing for a series without values.
std::optional<Summary> summarise(const Series& series);

}  // namespace sidegrade::analysis
