#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace sidegrade::cli {
namespace {

void add_results(CLI::App& app, Options& options) {
  app.add_option("--results", options.paths.results, "folder of results")
      ->capture_default_str();
}

void add_scenario(CLI::App& app, Options& options) {
  app.add_option("SCENARIO", options.scenario, "a scenario file (YAML)")
      ->required();
  add_results(app, options);
  app.add_option("--cache-dir", options.paths.cache, "folder of generated data")
      ->capture_default_str();
  app.add_option("--state-dir", options.paths.state,
                 "folder of restore journals")
      ->capture_default_str();
  app.add_option("--schemas", options.paths.schemas,
                 "folder of the shipped schemas")
      ->capture_default_str();
}

void add_format(CLI::App& app, Options& options) {
  app.add_option("--format", options.format, "how to print it")
      ->check(CLI::IsMember({"text", "md", "csv", "json"}))
      ->capture_default_str();
}

void add_compare(CLI::App& app, Options& options) {
  app.add_option("KERNEL", options.kernels,
                 "kernels to compare, the first is the base (uname -r, or its "
                 "beginning)");
  add_results(app, options);
  app.add_option("--by", options.by, "what the columns are")
      ->check(CLI::IsMember({"kernel", "target"}))
      ->capture_default_str();
  app.add_option("--scenario", options.scenario_name,
                 "name of the scenario, if not the newest run's");
  app.add_option("--host", options.host,
                 "host that measured, if not the newest run's");
  add_format(app, options);
}

void add_list(CLI::App& app, Options& options) {
  add_results(app, options);
  app.add_option("--format", options.format, "how to print it")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_env(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "as a JSON object");
}

void add_restore(CLI::App& app, Options& options) {
  app.add_flag("--check", options.only_check, "only say what is pending");
  app.add_option("--state-dir", options.paths.state,
                 "folder of restore journals")
      ->capture_default_str();
}

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> table = {
      {"check", "Print the plan of a scenario; touch nothing.",
       "Before each run, to see every command, the space and the time it "
       "needs.",
       "sidegrade check scenarios/quickstart.yaml", add_scenario, check},
      {"run", "Measure a scenario on every target, under the running kernel.",
       "Once per boot; boot another kernel and run it again to compare them.",
       "sudo sidegrade run scenarios/quickstart.yaml", add_scenario, run},
      {"compare", "Lay kernels (or targets) side by side.",
       "After runs under two kernels, or of two targets under one.",
       "sidegrade compare --by target", add_compare, compare},
      {"list", "List the runs that were kept.",
       "To see which kernels and targets have been measured, and how often.",
       "sidegrade list", add_list, list},
      {"env", "Print what is known of this machine and kernel.",
       "To see what a run would record of its environment.",
       "sidegrade env --json", add_env, env},
      {"restore", "Remove what a killed run left on the machine.",
       "After a crash, a kill -9 or a power failure in the middle of a run.",
       "sudo sidegrade restore --check", add_restore, restore},
  };
  return table;
}

}  // namespace sidegrade::cli
