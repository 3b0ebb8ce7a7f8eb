#include "analysis/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::analysis {
namespace {

using Runs = std::vector<const store::Run*>;

void add_once(std::vector<std::string>& values, const std::string& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(value);
  }
}

/// Splits off the runs for which `keep` is false.
Runs take_out(Runs& runs, const std::function<bool(const store::Run&)>& keep) {
  const auto out =
      std::stable_partition(runs.begin(), runs.end(),
                            [&](const store::Run* run) { return keep(*run); });
  Runs taken(out, runs.end());
  runs.erase(out, runs.end());
  return taken;
}

/// Keeps the runs whose `field` is `name`; no name means the newest run's.
void narrow(Runs& runs, std::string store::RunHeader::*field,
            std::string_view what, std::string name) {
  if (name.empty()) name = runs.back()->header.*field;
  std::vector<std::string> known;
  for (const store::Run* run : runs) add_once(known, run->header.*field);
  take_out(runs,
           [&](const store::Run& run) { return run.header.*field == name; });
  if (!runs.empty()) return;
  throw base::Error(fmt::format("there is no run of {} \"{}\"{}", what, name,
                                base::did_you_mean(name, known)),
                    "sidegrade list shows what there is.");
}

bool begins_release(std::string_view release, std::string_view beginning) {
  return release.starts_with(beginning) &&
         (release.size() == beginning.size() ||
          std::isalnum(static_cast<unsigned char>(release[beginning.size()])) ==
              0);
}

std::string find_kernel(const std::vector<std::string>& known,
                        const std::string& name) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  std::vector<std::string> matches;
  for (const std::string& kernel : known) {
    if (begins_release(kernel, name)) matches.push_back(kernel);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) {
    throw base::Error(fmt::format("there is no run of kernel \"{}\"{}", name,
                                  base::did_you_mean(name, known)),
                      "sidegrade list shows what there is.");
  }
  throw base::Error(fmt::format("\"{}\" may be any of the kernels {}", name,
                                base::join(matches, ", ")),
                    "Spell it as uname -r does.");
}

std::vector<std::string> kernels_of(const Runs& runs) {
  std::vector<std::string> kernels;
  for (const store::Run* run : runs) add_once(kernels, run->header.kernel);
  return kernels;
}

/// The kernels in the order wanted; leaves only their runs.
std::vector<std::string> choose_kernels(Runs& runs,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> known = kernels_of(runs);
  if (names.empty()) return known;
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    add_once(chosen, find_kernel(known, name));
  }
  take_out(runs, [&](const store::Run& run) {
    return std::find(chosen.begin(), chosen.end(), run.header.kernel) !=
           chosen.end();
  });
  return chosen;
}

std::string run_ids(const Runs& runs) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> ids;
  for (const store::Run* run : runs) ids.push_back(run->header.run_id);
  if (ids.size() > kNamed) {
    const size_t more = ids.size() - kNamed;
    ids.resize(kNamed);
    ids.push_back(fmt::format("{} more", more));
  }
  return base::join(ids, ", ");
}

void leave_out(ComparableRuns& result, std::string_view why,
               const std::function<bool(const store::Run&)>& keep) {
  const Runs out = take_out(result.runs, keep);
  if (out.empty()) return;
  result.notes.push_back(fmt::format("{} {} left out, {}: {}.", out.size(),
                                     out.size() == 1 ? "run is" : "runs are",
                                     why, run_ids(out)));
}

/// Columns without a run that counts are named in a note instead.
void drop_empty_kernels(ComparableRuns& result) {
  const std::vector<std::string> left = kernels_of(result.runs);
  std::erase_if(result.kernels, [&](const std::string& kernel) {
    const bool empty =
        std::find(left.begin(), left.end(), kernel) == left.end();
    if (empty) {
      result.notes.push_back(
          fmt::format("Of kernel {} no run is left.", kernel));
    }
    return empty;
  });
}

}  // namespace

ComparableRuns select_runs(const store::History& history,
                           const Selection& selection) {
  ComparableRuns result;
  for (const store::Run& run : history.runs) result.runs.push_back(&run);
  if (result.runs.empty()) {
    throw base::Error("there are no results to compare",
                      "Measure first with sidegrade run, or name another "
                      "folder with --results.");
  }
  using Header = store::RunHeader;
  if (!selection.host.empty()) {
    narrow(result.runs, &Header::host, "host", selection.host);
  }
  narrow(result.runs, &Header::scenario_name, "scenario", selection.scenario);
  narrow(result.runs, &Header::host, "host", "");
  result.host = result.runs.back()->header.host;
  result.scenario = result.runs.back()->header.scenario_name;
  result.kernels = choose_kernels(result.runs, selection.kernels);
  leave_out(result, "as the environment changed while it was measured",
            [](const store::Run& run) { return !run.invalidated(); });
  if (result.runs.empty()) {
    throw base::Error(
        fmt::format("no run of scenario \"{}\" on host {} can be compared: the "
                    "environment changed during each",
                    result.scenario, result.host),
        "Measure again on a machine that is left alone.");
  }
  const Header newest = result.runs.back()->header;
  leave_out(result, "as its scenario or its data are not the newest run's",
            [&](const store::Run& run) {
              return run.header.scenario_sha256 == newest.scenario_sha256 &&
                     run.header.input_sha256 == newest.input_sha256;
            });
  drop_empty_kernels(result);
  return result;
}

}  // namespace sidegrade::analysis
