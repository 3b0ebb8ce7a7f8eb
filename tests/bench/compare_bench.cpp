#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/comparison.h"
#include "report/render.h"
#include "store/format.h"
#include "store/store.h"

namespace sidegrade {
namespace {

constexpr int kRuns = 200;
constexpr int kTrials = 500;
constexpr std::array kPhases = {"create_database", "schema",  "import",
                                "index",           "analyze", "checkpoint",
                                "drop_database"};
constexpr std::array kTargets = {"ext3", "xfs", "ext4", "btrfs"};
constexpr std::array kKernels = {"6.1.0-42-amd64", "6.12.48-1-amd64"};

/// A figure with as many digits as a clock gives, other for each `n`.
double figure(int n) { return 0.000001 * ((n * 7919) % 99999989); }

/// A whole number such as a counter's, other for each `n`.
double count(int n) {
  return static_cast<double>(int64_t{n} * 104729 % 1000003);
}

store::PhaseRecord phase_record(const char* name, int seed) {
  store::PhaseRecord phase;
  phase.name = name;
  for (const char* metric :
       {"real_s", "user_s", "sys_s", "server_user_s", "server_sys_s"}) {
    phase.metrics[metric] = figure(++seed);
  }
  for (const char* metric :
       {"device_reads", "device_read_bytes", "device_writes",
        "device_written_bytes", "device_flushes", "wal_bytes", "rows",
        "script_bytes", "client_major_faults", "server_major_faults",
        "voluntary_switches", "involuntary_switches", "context_switches",
        "statements", "copy_bytes"}) {
    phase.metrics[metric] = count(++seed);
  }
  phase.absent["server_major_faults"] =
      "the memory controller is not on in this control group";
  for (const char* device : {"loop0", "md0", "sda"}) {
    for (const char* metric :
         {"reads", "read_bytes", "writes", "written_bytes", "flushes"}) {
      phase.devices[device][metric] = count(++seed);
    }
  }
  return phase;
}

store::Sample sample(int run, int trial) {
  store::Sample sample;
  sample.trial = trial;
  sample.round = trial / static_cast<int>(kTargets.size());
  sample.warmup = sample.round == 0;
  sample.target = kTargets[static_cast<size_t>(trial) % kTargets.size()];
  sample.started_at = "2026-11-30T16:36:58Z";
  sample.uptime_s = 1000.25 + trial;
  int seed = run * kTrials + trial;
  for (const char* name : kPhases) {
    sample.phases.push_back(phase_record(name, seed += 100));
  }
  for (const char* step : {"provision", "initdb", "start", "settle", "verify",
                           "stop", "tear_down"}) {
    sample.overhead_s[step] = figure(++seed);
  }
  for (int table = 0; table < 13; ++table) {
    sample.tables.push_back({fmt::format("shop.public.table_{}", table),
                             int64_t{table} * 1000, std::string(32, 'a')});
  }
  for (int fact = 0; fact < 25; ++fact) {
    sample.target_facts[fmt::format("block.sda.fact_{}", fact)].value =
        "a value of some length";
  }
  for (const char* setting : {"max_wal_size", "shared_buffers", "port"}) {
    sample.postgres_settings[setting] = "4GB";
  }
  return sample;
}

store::RunHeader header(int run) {
  store::RunHeader header;
  header.run_id = fmt::format("20261130T{:06}Z", run);
  header.host = "db-lab-3";
  header.started_at = fmt::format("2026-11-30T16:{:06}Z", run);
  header.kernel = kKernels[static_cast<size_t>(run) % kKernels.size()];
  header.boot_id = fmt::format("boot-{}", run);
  header.scenario_name = "bench";
  header.scenario_text = std::string(2000, 'x');
  for (int fact = 0; fact < 300; ++fact) {
    header.environment[fmt::format("sysctl.vm.fact_{}", fact)].value = "12345";
  }
  return header;
}

/// 200 runs of 500 trials in the very lines that RunWriter writes, but without
/// its 100,000 syncs; removed at the end.
class Results {
 public:
  Results() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "sidegrade-bench-XXXXXX")
            .string();
    path_ = mkdtemp(pattern.data());
    for (int run = 0; run < kRuns; ++run) {
      std::ofstream file(path_ / fmt::format("{}.jsonl", run));
      file << store::header_line(header(run)) << '\n';
      for (int trial = 0; trial < kTrials; ++trial) {
        file << store::record_line(sample(run, trial)) << '\n';
      }
    }
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  int64_t bytes() const {
    int64_t sum = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) {
        sum += static_cast<int64_t>(entry.file_size());
      }
    }
    return sum;
  }

 private:
  std::filesystem::path path_;
};

/// What `sidegrade compare` does with 100,000 samples.
void compare_100000_samples(benchmark::State& state) {
  static const Results results;
  for ([[maybe_unused]] auto _ : state) {
    const store::History history =
        store::load(results.path(), store::Detail::kTimes);
    const report::ComparisonTable table =
        report::build_table(history, {}, report::By::kKernel);
    benchmark::DoNotOptimize(report::render(table, report::Format::kText));
  }
  state.counters["bytes_a_sample"] =
      static_cast<double>(results.bytes()) / (kRuns * kTrials);
}
BENCHMARK(compare_100000_samples)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace sidegrade
