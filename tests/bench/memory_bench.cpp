#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "bench/bench_main.h"
#include "support/temp_dir.h"

namespace sidegrade {
namespace {

constexpr std::string_view kScenario = R"(name: memory-bench
workload:
  generate: {{schema: shop, scale: {scale}, seed: 1}}
  phases: [create_database, schema, import, index]
  jobs: 2
  split_tables: true
targets:
  - name: bench
    path: {target}
repetitions: {{rounds: 1, warmup: 0}}
)";

/// The most that the process has held in memory so far, in MB; 0 if it is gone.
/// Not wait4's figure, which is that of its largest child: a server.
double peak_mb(pid_t pid) {
  constexpr std::string_view kKey = "VmHWM:";
  const std::string status =
      base::try_read_file(fmt::format("/proc/{}/status", pid)).value_or("");
  const size_t at = status.find(kKey);
  if (at == std::string::npos) return 0;
  return std::strtod(status.c_str() + at + kKey.size(), nullptr) * 1024 / 1e6;
}

/// The peak of `sidegrade run`, from its start until its end.
double measure(const base::Command& command, const base::Interrupt& interrupt) {
  base::Child child = base::Child::start(command);
  double peak = 0;
  try {
    for (;;) {
      const auto status = child.wait(std::chrono::milliseconds(10), &interrupt);
      if (status && status->success()) return peak;
      if (status) throw base::Error(base::read_file(*command.log));
      peak = std::max(peak, peak_mb(child.pid()));
    }
  } catch (const base::Interrupted&) {
    child.kill(SIGTERM);
    child.wait(std::chrono::minutes(1));
    throw;
  }
}

}  // namespace
}  // namespace sidegrade

/// memory_bench SIDEGRADE TARGET CACHE SCALE: the peak memory of the program
/// while it generates, reads, hashes and imports shop's data at that scale.
int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: memory_bench SIDEGRADE TARGET CACHE SCALE\n");
    return 2;
  }
  using namespace sidegrade;
  return test::run_bench([&] {
    const base::Interrupt interrupt = base::Interrupt::on_signals();
    const test::TempDir work;
    const auto scenario = work.file(
        "memory.yaml", fmt::format(kScenario, fmt::arg("scale", argv[4]),
                                   fmt::arg("target", argv[2])));
    const double peak = measure(
        {.argv = {argv[1], "run", "--results", work / "results", "--state-dir",
                  work / "state", "--cache-dir", argv[3], scenario},
         .user = std::nullopt,
         .working_directory = {},
         .environment = {},
         .input = std::nullopt,
         .log = work / "log",
         .cgroup = {}},
        interrupt);
    fmt::print("memory_mb/{} {:.1f}\n", argv[4], peak);
  });
}
