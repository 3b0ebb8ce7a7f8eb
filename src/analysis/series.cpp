#include "analysis/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"

namespace sidegrade::analysis {
namespace {

/// Where `name` is among the names, at whose end it is added if it is new.
/// `guess` is looked at first.
size_t index_of(std::vector<std::string>& names, const std::string& name,
                size_t guess = 0) {
  if (guess < names.size() && names[guess] == name) return guess;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::optional<double> value_of(const Measure& measure,
                               const store::Metrics& metrics) {
  double sum = 0;
  for (const std::string& name : measure.metrics) {
    const auto found = metrics.find(name);
    if (found == metrics.end()) return std::nullopt;
    sum += found->second;
  }
  return sum;
}

void add_value(Series& series, const std::string& boot_id, double value) {
  // Runs come boot by boot, so it is nearly always the last one.
  const auto found =
      std::find_if(series.rbegin(), series.rend(),
                   [&](const Boot& boot) { return boot.boot_id == boot_id; });
  if (found != series.rend()) {
    found->values.push_back(value);
  } else {
    series.push_back({boot_id, {value}});
  }
}

std::string plural(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Sorts the samples of all runs into series and remembers what to note.
class Collector {
 public:
  Collector(std::vector<std::string> kernels,
            const std::vector<Measure>& measures) {
    table_.kernels = std::move(kernels);
    table_.measures = measures;
  }

  void add(const store::Run& run);
  SeriesTable finish();

 private:
  void add(const store::Run& run, const store::Sample& sample);
  void note_contents();

  SeriesTable table_;
  size_t warmups_ = 0;
  size_t failures_ = 0;
  std::string first_failure_;
  size_t warned_ = 0;
  std::string first_warning_;
  std::map<std::string, std::set<std::string>> kernels_by_contents_;
};

void Collector::add(const store::Run& run) {
  for (const std::string& target : run.header.targets) {
    index_of(table_.targets, target);
  }
  for (const store::Sample& sample : run.samples) {
    if (sample.failure) {
      if (failures_++ == 0) {
        first_failure_ = fmt::format(
            "{} on {} under {}: {}", sample.failure->step, sample.target,
            run.header.kernel, sample.failure->sentence);
      }
    } else if (sample.warmup) {
      ++warmups_;
    } else {
      add(run, sample);
    }
  }
  for (const store::Note& note : run.notes) {
    if (note.kind != "remark") continue;
    table_.notes.push_back(fmt::format("{}: {}", run.header.kernel, note.text));
  }
}

void Collector::add(const store::Run& run, const store::Sample& sample) {
  Place place;
  place.kernel = index_of(table_.kernels, run.header.kernel);
  place.target = index_of(table_.targets, sample.target);
  for (size_t phase = 0; phase < sample.phases.size(); ++phase) {
    const store::PhaseRecord& record = sample.phases[phase];
    // All trials have the same phases, but for the failed ones.
    place.phase = index_of(table_.phases, record.name, phase);
    std::vector<Series>& series = table_.series[place];
    series.resize(table_.measures.size());
    for (size_t i = 0; i < series.size(); ++i) {
      const auto value = value_of(table_.measures[i], record.metrics);
      if (value) add_value(series[i], run.header.boot_id, *value);
    }
  }
  if (!sample.tables_sha256.empty()) {
    kernels_by_contents_[sample.tables_sha256].insert(run.header.kernel);
  }
  if (!sample.warnings.empty() && warned_++ == 0) {
    first_warning_ = sample.warnings.front();
  }
}

void Collector::note_contents() {
  if (kernels_by_contents_.size() < 2) return;
  std::vector<std::string> groups;
  for (const auto& [contents, kernels] : kernels_by_contents_) {
    groups.push_back(fmt::format("{} under {}", contents.substr(0, 8),
                                 fmt::join(kernels, ", ")));
  }
  table_.notes.push_back(
      fmt::format("The trials did not all import the same table contents, so "
                  "the figures are not comparable: {}.",
                  base::join(groups, "; ")));
}

SeriesTable Collector::finish() {
  note_contents();
  if (failures_ > 0) {
    table_.notes.push_back(
        fmt::format("{} left out; the first: {}",
                    plural(failures_, "failed trial is", "failed trials are"),
                    first_failure_));
  }
  if (warmups_ > 0) {
    table_.notes.push_back(fmt::format(
        "{} not counted.", plural(warmups_, "warm-up is", "warm-ups are")));
  }
  if (warned_ > 0) {
    table_.notes.push_back(fmt::format(
        "{}; the first: {}",
        plural(warned_, "trial carries a warning", "trials carry warnings"),
        first_warning_));
  }
  return std::move(table_);
}

}  // namespace

const std::vector<Measure>& default_measures() {
  static const std::vector<Measure> measures = {
      {"real_s", "real", {"real_s"}},
      {"user_s", "user", {"user_s"}},
      {"sys_s", "sys", {"sys_s"}},
      {"server_cpu_s", "server cpu", {"server_user_s", "server_sys_s"}}};
  return measures;
}

const Series& SeriesTable::at(const Place& place, size_t measure) const {
  static const Series empty;
  const auto found = series.find(place);
  return found == series.end() ? empty : found->second.at(measure);
}

SeriesTable collect_series(const ComparableRuns& runs,
                           const std::vector<Measure>& measures) {
  Collector collector(runs.kernels, measures);
  for (const store::Run* run : runs.runs) collector.add(*run);
  return collector.finish();
}

}  // namespace sidegrade::analysis
