#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "bench/needs.h"
#include "bench/run.h"
#include "bench/survey.h"
#include "cli/commands.h"
#include "cli/terminal_progress.h"
#include "scenario/scenario.h"

namespace sidegrade::cli {
namespace {

std::string bytes_text(uint64_t bytes) {
  return base::format_bytes(static_cast<double>(bytes));
}

std::string plural(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_title(const scenario::Scenario& scenario,
                 const bench::Survey& survey) {
  const scenario::Repetitions& repetitions = scenario.repetitions;
  fmt::print("{}: {} × {} (+{} warm-up) = {}, {}\n\n", scenario.path.string(),
             plural(scenario.targets.size(), "target"),
             plural(static_cast<size_t>(repetitions.rounds), "round"),
             repetitions.warmup, plural(survey.trials.size(), "trial"),
             survey.expected_s
                 ? "about " + base::format_duration(*survey.expected_s) +
                       " by earlier runs"
                 : "no earlier run says how long it takes");
}

void print_needs(const scenario::Scenario& scenario,
                 const bench::Survey& survey) {
  fmt::print("  data        {}{}\n", bytes_text(survey.input_bytes),
             survey.inputs_exist          ? ""
             : scenario.workload.generate ? ", about, to be generated first"
                                          : ", about, to be unpacked first");
  fmt::print("  postgres    {} in {}, run as {}\n", survey.installation.version,
             survey.installation.bin_directory.string(), survey.owner.name);
  for (size_t i = 0; i < survey.space_needed.size(); ++i) {
    fmt::print("  space       {}: about {} needed, {} there\n",
               scenario.targets[i].name, bytes_text(survey.space_needed[i]),
               bytes_text(survey.space_free[i]));
  }
  std::vector<std::string> order;
  for (const scenario::Trial& trial : survey.trials) {
    order.push_back(scenario.targets[trial.target].name +
                    (trial.warmup ? " (warm-up)" : ""));
  }
  fmt::print("  order       {}\n", base::join(order, ", "));
}

void print_commands(const scenario::Scenario& scenario,
                    const bench::Survey& survey, const bench::Paths& paths) {
  for (size_t i = 0; i < scenario.targets.size(); ++i) {
    fmt::print(
        "\n  commands of a trial on {}, in order (RUN is new each time):\n",
        scenario.targets[i].name);
    for (const std::string& line :
         bench::commands_of_trial(scenario, survey, paths, i)) {
      fmt::print("    {}\n", line);
    }
  }
}

void print_warnings(const base::Warnings& warnings) {
  for (const base::Warning& warning : warnings) {
    fmt::print(stderr, "warning: {}\n", warning.text());
  }
}

void print_outcome(const bench::RunOutcome& outcome) {
  fmt::print(
      "{} measured{}{}; kept in {}\n",
      plural(static_cast<size_t>(outcome.measured), "trial"),
      outcome.failed > 0 ? fmt::format(", {} failed", outcome.failed) : "",
      outcome.interrupted ? " until the interruption" : "",
      outcome.file.string());
  if (outcome.changed.empty()) return;
  fmt::print(stderr,
             "error: the environment changed during the run, so it counts for "
             "nothing: {}\n",
             base::join(outcome.changed, ", "));
}

}  // namespace

int check(const Options& options, const base::Interrupt& interrupt) {
  const scenario::Scenario scenario =
      scenario::load_scenario(options.scenario, options.paths.schemas);
  const bench::Survey survey = bench::survey(scenario, options.paths);
  print_title(scenario, survey);
  print_needs(scenario, survey);
  print_commands(scenario, survey, options.paths);
  print_warnings(survey.warnings);
  if (survey.inputs_exist) {
    const workload::Inputs inputs = workload::prepare_inputs(
        scenario.workload, survey.schema, survey.installation,
        options.paths.cache, interrupt);
    print_warnings(
        bench::check_needs(scenario.workload, inputs, survey.installation));
  }
  if (survey.obstacles.empty()) return 0;
  throw scenario::ScenarioError(survey.obstacles);
}

int run(const Options& options, const base::Interrupt& interrupt) {
  const scenario::Scenario scenario =
      scenario::load_scenario(options.scenario, options.paths.schemas);
  bench::RunOutcome outcome;
  {
    TerminalProgress progress;
    outcome = bench::execute_run(scenario, options.paths, progress, interrupt);
  }
  print_outcome(outcome);
  if (outcome.interrupted) return 130;
  return outcome.failed > 0 || !outcome.changed.empty() ? 1 : 0;
}

}  // namespace sidegrade::cli
