#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/render.h"

namespace sidegrade::report {
namespace {

using store::json_quote;

/// What `sidegrade list` tells of a run's samples.
struct RunDigest {
  std::vector<std::string> targets;  ///< in the order they first appear
  size_t ok = 0;
  size_t failed = 0;
  size_t warmups = 0;
};

RunDigest digest(const store::Run& run) {
  RunDigest result;
  for (const store::Sample& sample : run.samples) {
    auto& targets = result.targets;
    if (std::find(targets.begin(), targets.end(), sample.target) ==
        targets.end()) {
      targets.push_back(sample.target);
    }
    size_t& count = sample.failure  ? result.failed
                    : sample.warmup ? result.warmups
                                    : result.ok;
    ++count;
  }
  return result;
}

std::string trials_text(const store::Run& run, const RunDigest& counts) {
  std::string text =
      fmt::format("{} trial{} ok", counts.ok, counts.ok == 1 ? "" : "s");
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.warmups > 0) {
    text += fmt::format(", {} warm-up{}", counts.warmups,
                        counts.warmups == 1 ? "" : "s");
  }
  if (!run.finished()) text += " · cut off, or still going on";
  if (run.invalidated()) text += " · not counted: the environment changed";
  return text;
}

std::string list_text(const store::History& history, size_t width) {
  if (history.runs.empty()) return "no runs\n";
  constexpr size_t kIndent = 4;
  std::vector<TableLine> heads;
  for (const store::Run& run : history.runs) {
    heads.push_back({{run.header.started_at, Align::kLeft},
                     {run.header.host, Align::kLeft},
                     {run.header.kernel, Align::kLeft},
                     {run.header.scenario_name, Align::kLeft}});
  }
  const std::vector<std::string> lines = align_lines(heads);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const store::Run& run = history.runs[i];
    const RunDigest counts = digest(run);
    const std::string details =
        fmt::format("run {} · {} · {}", run.header.run_id,
                    base::join(counts.targets, ", "), trials_text(run, counts));
    text += lines[i] + '\n' + std::string(kIndent, ' ') +
            wrap(details, width - kIndent, kIndent) + '\n';
  }
  return text;
}

std::string run_json(const store::Run& run) {
  const RunDigest counts = digest(run);
  return json_object({{"run_id", json_quote(run.header.run_id)},
                      {"file", json_quote(run.path.string())},
                      {"started_at", json_quote(run.header.started_at)},
                      {"host", json_quote(run.header.host)},
                      {"kernel", json_quote(run.header.kernel)},
                      {"boot_id", json_quote(run.header.boot_id)},
                      {"scenario", json_quote(run.header.scenario_name)},
                      {"targets", json_strings(counts.targets)},
                      {"trials_ok", std::to_string(counts.ok)},
                      {"trials_failed", std::to_string(counts.failed)},
                      {"warmups", std::to_string(counts.warmups)},
                      {"finished", run.finished() ? "true" : "false"},
                      {"invalidated", run.invalidated() ? "true" : "false"}});
}

std::string list_json(const store::History& history) {
  std::vector<std::string> runs;
  for (const store::Run& run : history.runs) runs.push_back(run_json(run));
  return json_object({{"format", json_quote("sidegrade-list")},
                      {"version", "1"},
                      {"runs", json_list(runs)},
                      {"warnings", json_strings(history.warnings)}}) +
         "\n";
}

}  // namespace

std::string render_list(const store::History& history, Format format,
                        size_t width) {
  if (format == Format::kText) return list_text(history, width);
  if (format == Format::kJson) return list_json(history);
  throw base::Error("the list of runs has no such format",
                    "Its formats are text and json.");
}

}  // namespace sidegrade::report
