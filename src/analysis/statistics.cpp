#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>

namespace sidegrade::analysis {
namespace {

constexpr double kMedian = 0.5;

/// As quantile, but reorders `values` in place of copying them.
double take_quantile(std::vector<double>& values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const double below = std::floor(position);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  if (nth + 1 == values.end()) return *nth;
  return std::lerp(*nth, *std::min_element(nth + 1, values.end()),
                   position - below);
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  return take_quantile(values, p);
}

std::optional<Summary> summarise(const Series& series) {
  std::vector<double> medians;
  std::vector<double> all;
  for (const Boot& boot : series) {
    if (boot.values.empty()) continue;
    medians.push_back(quantile(boot.values, kMedian));
    all.insert(all.end(), boot.values.begin(), boot.values.end());
  }
  if (all.empty()) return std::nullopt;
  Summary summary;
  summary.trials = all.size();
  summary.boots = medians.size();
  summary.median = quantile(std::move(medians), kMedian);
  if (all.size() > 1) {
    summary.spread = (take_quantile(all, 0.75) - take_quantile(all, 0.25)) / 2;
  }
  return summary;
}

}  // namespace sidegrade::analysis
