#include <benchmark/benchmark.h>

#include <filesystem>

#include "scenario/generator_file.h"
#include "workload/generator.h"

namespace sidegrade::workload {
namespace {

/// Bytes a second of the generator alone, on one core: what is written is only
/// counted.
void generate(benchmark::State& state, const std::string& schema) {
  const GeneratorSpec spec =
      scenario::load_generator(std::filesystem::path(SIDEGRADE_SOURCE_DIR) /
                               "schemas" / schema / "generator.yaml");
  size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    generate_data(spec, 2, 1, "",
                  [&](std::string_view piece) { bytes += piece.size(); });
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

BENCHMARK_CAPTURE(generate, shop, "shop")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, pgbench, "pgbench")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sidegrade::workload
