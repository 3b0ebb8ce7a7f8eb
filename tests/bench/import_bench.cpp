#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "bench/bench_main.h"
#include "bench/run.h"
#include "scenario/scenario.h"
#include "store/store.h"
#include "support/public_scripts.h"
#include "support/temp_dir.h"

namespace sidegrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScenario = R"(name: import-bench-{client}
workload: {{{workload}, client: {client}}}
targets:
  - name: bench
    path: {target}
repetitions: {{rounds: 1, warmup: 0}}
)";

/// Warnings are about a run that should stand for itself; this one's doubts are
/// the spread of its pairs.
class Quiet : public bench::Progress {
 public:
  void run_started(const bench::RunTitle& /*title*/) override {}
  void trial_started(const bench::TrialTitle& /*title*/) override {}
  void step_started(std::string_view /*step*/) override {}
  void step_finished(std::string_view /*step*/, double /*seconds*/) override {}
  void trial_finished(const store::Sample& /*sample*/) override {}
  void warn(const std::string& /*text*/) override {}
};

/// What both clients import.
struct Import {
  std::string name;
  std::string workload;  ///< keys of a scenario's workload
};

/// A file as pg_dump --rows-per-insert=1 writes it: 200,000 rows, 25 MB.
std::string make_inserts() {
  std::string text = R"(SET client_encoding = 'UTF8';
CREATE TABLE public.readings (
    reading_id bigint NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    station text NOT NULL,
    celsius numeric(6,2),
    remark text
);
)";
  for (int i = 0; i < 200'000; ++i) {
    text += fmt::format(
        "INSERT INTO public.readings VALUES ({}, '2026-{:02}-{:02} "
        "{:02}:{:02}:{:02}+00', 'station-{:03}', {}.{:02}, 'sensor''s battery "
        "at {} percent');\n",
        i + 1, i % 12 + 1, i % 28 + 1, i % 24, i % 60, i % 59, i % 400, i % 40,
        i % 100, i % 101);
  }
  return text + R"(ALTER TABLE ONLY public.readings
    ADD CONSTRAINT readings_pkey PRIMARY KEY (reading_id);
)";
}

/// Nothing if the collection is not beside the checkout.
std::vector<Import> public_dumps() {
  const fs::path dumps = test::scripts_directory() / "dumps";
  if (!fs::exists(dumps)) return {};
  const std::string folder = fs::canonical(dumps).string();
  return {
      {"usda", fmt::format("data: {}/13-usda-r18/usda.sql.gz", folder)},
      {"pagila", fmt::format("data: [{0}/pagila-schema.sql, "
                             "{0}/pagila-data.sql]",
                             folder + "/01-pagila-3.1.0")},
      {"chinook",
       fmt::format("data: {}/07-chinook-1.4-old/Chinook_PostgreSql_utf8.sql",
                   folder)},
  };
}

/// Measures one trial by the product's own run, as often as it is asked.
class Bench {
 public:
  Bench(fs::path target, fs::path cache)
      : target_(std::move(target)), cache_(std::move(cache)) {}

  std::vector<Import> imports() const;
  /// Throws Error if the trial failed, or imported other rows than the others.
  store::Sample measure(const Import& import, const std::string& client);

 private:
  store::Sample run(const Import& import, const std::string& client);

  fs::path target_;
  fs::path cache_;
  /// Ctrl-C ends the trial, and leaves nothing of it.
  base::Interrupt interrupt_ = base::Interrupt::on_signals();
  test::TempDir work_;
  std::map<std::string, std::string> tables_sha256_;  ///< by import
};

std::vector<Import> Bench::imports() const {
  const fs::path inserts = work_.file("inserts.sql", make_inserts());
  std::vector<Import> all = {
      {"shop", "generate: {schema: shop, scale: 18, seed: 1}"},
      {"inserts",
       fmt::format("data: {}, single_transaction: true", inserts.string())}};
  for (Import& import : public_dumps()) all.push_back(std::move(import));
  return all;
}

store::Sample Bench::run(const Import& import, const std::string& client) {
  const fs::path file = work_.file(
      client + ".yaml", fmt::format(kScenario, fmt::arg("client", client),
                                    fmt::arg("workload", import.workload),
                                    fmt::arg("target", target_.string())));
  const bench::Paths paths{
      .results = work_ / "results",
      .state = work_ / "state",
      .cache = cache_,
      .schemas = fs::path(SIDEGRADE_SOURCE_DIR) / "schemas"};
  fs::remove_all(paths.results);
  Quiet progress;
  bench::execute_run(scenario::load_scenario(file, paths.schemas), paths,
                     progress, interrupt_);
  interrupt_.check();
  return store::load(paths.results).runs.at(0).samples.at(0);
}

store::Sample Bench::measure(const Import& import, const std::string& client) {
  store::Sample sample = run(import, client);
  if (sample.failure) {
    throw base::Error(sample.failure->sentence, sample.failure->hint);
  }
  std::string& expected = tables_sha256_[import.name];
  if (expected.empty()) expected = sample.tables_sha256;
  if (sample.tables_sha256 != expected) {
    throw base::Error(fmt::format(
        "psql and the native client made different rows of {}", import.name));
  }
  return sample;
}

double sum_of(const store::Sample& sample,
              const std::vector<std::string>& phases,
              const std::vector<std::string>& metrics) {
  double sum = 0;
  for (const store::PhaseRecord& phase : sample.phases) {
    if (!phases.empty() &&
        std::find(phases.begin(), phases.end(), phase.name) == phases.end()) {
      continue;
    }
    for (const std::string& metric : metrics) sum += phase.metrics.at(metric);
  }
  return sum;
}

/// The phases in which the client reads SQL files; psql's `import` holds what
/// the native client's `index` does.
double wall_s(const store::Sample& sample) {
  return sum_of(sample, {"schema", "import", "index"}, {"real_s"});
}

double client_cpu_s(const store::Sample& sample) {
  return sum_of(sample, {"schema", "import", "index"}, {"user_s", "sys_s"});
}

double overhead_share(const store::Sample& sample) {
  double overhead_s = 0;
  for (const auto& [step, seconds] : sample.overhead_s) overhead_s += seconds;
  return overhead_s / sum_of(sample, {}, {"real_s"});
}

/// What is shown while it goes, on stderr.
void tell(long pair, const Import& import, const std::string& client,
          const store::Sample& sample) {
  fmt::print(stderr, "pair {} {:8} {:6}  wall {:.3f} s  client cpu {:.3f} s",
             pair, import.name, client, wall_s(sample), client_cpu_s(sample));
  fmt::print(stderr, "  outside {:.1f} %:", 100 * overhead_share(sample));
  for (const auto& [step, seconds] : sample.overhead_s) {
    fmt::print(stderr, " {} {:.2f}", step, seconds);
  }
  fmt::print(stderr, "\n");
}

/// Prints the figures of each pair on stdout, for scripts/bench.
void measure_pairs(Bench& bench, const Import& import, long pairs) {
  const auto measure = [&](long pair, const char* client) {
    store::Sample sample = bench.measure(import, client);
    tell(pair, import, client, sample);
    return sample;
  };
  for (long pair = 1; pair <= pairs; ++pair) {
    // A B, B A, A B …: what drifts falls on both clients alike.
    const bool native_first = pair % 2 == 1;
    store::Sample psql;
    if (!native_first) psql = measure(pair, "psql");
    const store::Sample native = measure(pair, "native");
    if (native_first) psql = measure(pair, "psql");
    fmt::print("wall_ratio/{} {:.4f}\n", import.name,
               wall_s(native) / wall_s(psql));
    fmt::print("cpu_ratio/{} {:.4f}\n", import.name,
               client_cpu_s(native) / client_cpu_s(psql));
    fmt::print("outside_share/{} {:.4f}\n", import.name,
               overhead_share(native));
    std::fflush(stdout);
  }
}

void measure_all(Bench& bench, const std::string& only, long pairs) {
  for (const Import& import : bench.imports()) {
    if (only.empty() || only == import.name) {
      measure_pairs(bench, import, pairs);
    }
  }
}

}  // namespace
}  // namespace sidegrade

/// import_bench TARGET CACHE PAIRS [NAME]: the same files imported into TARGET
/// by the native client and by psql, or only those of NAME. What is generated
/// or decompressed is kept in CACHE.
int main(int argc, char** argv) {
  const long pairs =
      argc == 4 || argc == 5 ? std::strtol(argv[3], nullptr, 10) : 0;
  if (pairs < 1) {
    fmt::print(stderr, "usage: import_bench TARGET CACHE PAIRS [NAME]\n");
    return 2;
  }
  return sidegrade::test::run_bench([&] {
    sidegrade::Bench bench(argv[1], argv[2]);
    sidegrade::measure_all(bench, argc == 5 ? argv[4] : "", pairs);
  });
}
