#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "bench/run.h"
#include "scenario/scenario.h"
#include "store/store.h"
#include "support/temp_dir.h"

namespace sidegrade {
namespace {

namespace fs = std::filesystem;

/// A dump of 200 MB.
constexpr std::string_view kScenario = R"(name: import-bench-{client}
workload:
  generate: {{schema: shop, scale: 18, seed: 1}}
  client: {client}
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

/// Measures one trial by the product's own run, as often as it is asked.
class Bench {
 public:
  Bench(fs::path target, fs::path cache)
      : target_(std::move(target)), cache_(std::move(cache)) {}

  /// Throws Error if the trial failed, or imported other rows than the others.
  store::Sample measure(const std::string& client);

 private:
  fs::path target_;
  fs::path cache_;
  /// Ctrl-C ends the trial, and leaves nothing of it.
  base::Interrupt interrupt_ = base::Interrupt::on_signals();
  test::TempDir work_;
  std::string tables_sha256_;
};

store::Sample Bench::measure(const std::string& client) {
  const fs::path file = work_.file(
      client + ".yaml", fmt::format(kScenario, fmt::arg("client", client),
                                    fmt::arg("target", target_.string())));
  const bench::Paths paths{
      .results = work_ / "results",
      .state = work_ / "state",
      .cache = cache_,
      .schemas = fs::path(SIDEGRADE_SOURCE_DIR) / "schemas"};
  Quiet progress;
  bench::execute_run(scenario::load_scenario(file, paths.schemas), paths,
                     progress, interrupt_);
  store::Sample sample = store::load(paths.results).runs.back().samples.at(0);
  if (sample.failure) {
    throw base::Error(sample.failure->sentence, sample.failure->hint);
  }
  if (tables_sha256_.empty()) tables_sha256_ = sample.tables_sha256;
  if (sample.tables_sha256 != tables_sha256_) {
    throw base::Error("psql and the native client imported different rows");
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
void tell(long pair, const std::string& client, const store::Sample& sample) {
  fmt::print(stderr, "pair {} {:6}  wall {:.2f} s  client cpu {:.3f} s", pair,
             client, wall_s(sample), client_cpu_s(sample));
  fmt::print(stderr, "  outside {:.1f} %:", 100 * overhead_share(sample));
  for (const auto& [step, seconds] : sample.overhead_s) {
    fmt::print(stderr, " {} {:.2f}", step, seconds);
  }
  fmt::print(stderr, "\n");
}

/// Prints the figures of each pair on stdout, for scripts/bench.
void measure_pairs(Bench& bench, long pairs) {
  for (long pair = 1; pair <= pairs; ++pair) {
    // A B, B A, A B …: what drifts falls on both clients alike.
    const bool native_first = pair % 2 == 1;
    store::Sample psql;
    if (!native_first) tell(pair, "psql", psql = bench.measure("psql"));
    const store::Sample native = bench.measure("native");
    tell(pair, "native", native);
    if (native_first) tell(pair, "psql", psql = bench.measure("psql"));
    fmt::print("wall_ratio {:.4f}\n", wall_s(native) / wall_s(psql));
    fmt::print("cpu_ratio {:.4f}\n", client_cpu_s(native) / client_cpu_s(psql));
    fmt::print("outside_share {:.4f}\n", overhead_share(native));
  }
}

}  // namespace
}  // namespace sidegrade

/// import_bench TARGET CACHE PAIRS: the same dump imported into TARGET by the
/// native client and by psql; the dump is made in CACHE unless it is there.
int main(int argc, char** argv) {
  const long pairs = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 0;
  if (pairs < 1) {
    fmt::print(stderr, "usage: import_bench TARGET CACHE PAIRS\n");
    return 2;
  }
  try {
    sidegrade::Bench bench(argv[1], argv[2]);
    sidegrade::measure_pairs(bench, pairs);
    return 0;
  } catch (const sidegrade::base::Error& error) {
    fmt::print(stderr, "error: {}. {}\n", error.what(), error.hint());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return 1;
}
