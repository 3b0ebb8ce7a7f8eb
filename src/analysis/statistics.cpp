#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>

namespace sidegrade::analysis {
namespace {

constexpr double kMedian = 0.5;

double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above],
                   position - static_cast<double>(below));
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return sorted_quantile(values, p);
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
    std::sort(all.begin(), all.end());
    summary.spread =
        (sorted_quantile(all, 0.75) - sorted_quantile(all, 0.25)) / 2;
  }
  return summary;
}

}  // namespace sidegrade::analysis
