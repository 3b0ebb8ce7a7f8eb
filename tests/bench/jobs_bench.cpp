#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "bench/bench_main.h"
#include "postgres/cluster.h"
#include "postgres/database.h"
#include "postgres/psql.h"
#include "scenario/generator_file.h"
#include "support/temp_dir.h"
#include "support/test_cluster.h"
#include "workload/execution.h"
#include "workload/inputs.h"

namespace sidegrade {
namespace {

namespace fs = std::filesystem;
using workload::PhaseKind;

constexpr std::chrono::minutes kLimit(10);

/// A server with default settings and its data below TARGET.
class Server {
 public:
  Server(const fs::path& target, const base::Interrupt& interrupt)
      : data_(target / fmt::format("sidegrade-bench-{}", getpid())),
        spec_{.installation = postgres::find_installation("auto"),
              .owner = test::server_owner(),
              .data_directory = data_.path / "pgdata",
              .private_directory = run_.path(),
              .settings = {},
              .initdb_arguments = {},
              .cgroup = {}} {
    fs::permissions(run_.path(), fs::perms::owner_all);
    test::give_to_owner(run_.path());
    postgres::initialise(spec_, interrupt);
    cluster_ = postgres::Cluster::start(spec_, interrupt);
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    try {
      cluster_->stop();
    } catch (const base::Error& error) {
      fmt::print(stderr, "warning: {}\n", error.what());
    }
  }

  const postgres::ClusterSpec& spec() const { return spec_; }
  const fs::path& mount() const { return data_.path; }
  const postgres::Endpoint& endpoint() const { return cluster_->endpoint(); }
  void execute(const std::string& statement) const {
    postgres::Database(endpoint(), "postgres").execute(statement);
  }
  /// What was written before is not to be written within a timed span.
  void settle() const {
    execute("CHECKPOINT");
    sync();
  }

 private:
  struct DataFolder {
    explicit DataFolder(fs::path where) : path(std::move(where)) {
      fs::create_directory(path);
      test::give_to_owner(path);
    }
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;
    ~DataFolder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }

    fs::path path;
  };

  DataFolder data_;
  test::TempDir run_;
  postgres::ClusterSpec spec_;
  std::optional<postgres::Cluster> cluster_;
};

struct Cost {
  double wall_s = 0;
  double client_cpu_s = 0;
};

/// The same rows brought in by two connections of the product, and by two
/// processes of PostgreSQL's own clients.
class Bench {
 public:
  Bench(const fs::path& target, const fs::path& cache);

  void against_two_psqls(long pairs);
  void against_pg_restore(long pairs);

 private:
  struct Job {
    workload::WorkloadSpec spec;
    workload::Inputs inputs;
    std::vector<PhaseKind> timed;
  };

  Job job(workload::WorkloadSpec spec, std::vector<PhaseKind> timed) const;
  template <typename Others>
  void measure_pairs(const std::string& name, const Job& job, long pairs,
                     Others others);
  Cost measure_product(const Job& job);
  template <typename Others>
  Cost measure_others(Others others);
  Cost time_children(const std::vector<base::Command>& commands);
  base::Command psql(const fs::path& script) const;
  base::Command client_program(const std::string& name,
                               std::vector<std::string> arguments) const;
  void cut_dump();
  void check_rows_and_drop();

  /// Ctrl-C ends the server, and leaves nothing of it.
  base::Interrupt interrupt_ = base::Interrupt::on_signals();
  Server server_;
  test::TempDir work_;
  workload::Inputs dump_;
  std::map<std::string, std::string> checksums_;  ///< of the job at hand
};

/// 200 MB: tables.sql and the dump of the data.
workload::Inputs shop(const fs::path& cache,
                      const postgres::Installation& installation,
                      const base::Interrupt& interrupt) {
  const fs::path folder = fs::path(SIDEGRADE_SOURCE_DIR) / "schemas/shop";
  const workload::ShippedSchema schema{
      folder, scenario::load_generator(folder / "generator.yaml")};
  workload::WorkloadSpec spec;
  spec.generate = {.schema = "shop", .scale = 18, .seed = 1};
  return workload::prepare_inputs(spec, schema, installation, cache, interrupt);
}

Bench::Bench(const fs::path& target, const fs::path& cache)
    : server_(target, interrupt_),
      dump_(shop(cache, server_.spec().installation, interrupt_)) {
  cut_dump();
}

/// The data of the dump without what follows them, and both halves of that: cut
/// between two rows in the middle, so that psql has no more to do with one half
/// than with the other.
void Bench::cut_dump() {
  constexpr std::string_view kMarker = "\n\\.\n";
  const std::string dump = base::read_file(dump_.files.at(1).path);
  const std::string data = dump.substr(0, dump.rfind(kMarker)) + "\n\\.\n";
  const size_t middle = data.find('\n', data.size() / 2) + 1;
  const size_t copy = data.rfind("\nCOPY ", middle) + 1;
  const size_t rows = data.find('\n', copy) + 1;
  if (data.find(kMarker, copy) < middle || rows > middle) {
    throw base::Error("the middle of the dump is in no table's rows",
                      "Choose another scale.");
  }
  const std::string settings = data.substr(0, data.find("\nCOPY ") + 1);
  work_.file("data.sql", data);
  work_.file("half-1.sql", data.substr(0, middle) + "\\.\n");
  work_.file("half-2.sql",
             settings + data.substr(copy, rows - copy) + data.substr(middle));
}

Bench::Job Bench::job(workload::WorkloadSpec spec,
                      std::vector<PhaseKind> timed) const {
  spec.phases = {PhaseKind::kCreateDatabase, PhaseKind::kSchema,
                 PhaseKind::kImport, PhaseKind::kIndex};
  spec.jobs = 2;
  spec.split_tables = true;
  workload::Inputs inputs =
      workload::prepare_inputs(spec, std::nullopt, server_.spec().installation,
                               work_ / "cache", interrupt_);
  return {std::move(spec), std::move(inputs), std::move(timed)};
}

Cost Bench::measure_product(const Job& job) {
  std::atomic<uint64_t> bytes_sent = 0;
  Cost cost;
  {
    workload::Execution execution({.spec = job.spec,
                                   .inputs = job.inputs,
                                   .cluster_spec = server_.spec(),
                                   .endpoint = server_.endpoint(),
                                   .mount = server_.mount(),
                                   .interrupt = interrupt_,
                                   .bytes_sent = bytes_sent});
    for (const PhaseKind phase : execution.phases()) {
      if (phase == job.timed.front()) server_.settle();
      const base::ResourceUsage before = base::thread_usage();
      const double begin = base::monotonic_seconds();
      const workload::PhaseWork work = execution.execute(phase);
      const double wall_s = base::monotonic_seconds() - begin;
      const base::ResourceUsage usage =
          work.client.value_or(base::thread_usage() - before);
      if (std::find(job.timed.begin(), job.timed.end(), phase) ==
          job.timed.end()) {
        continue;
      }
      cost.wall_s += wall_s;
      cost.client_cpu_s += usage.user_s + usage.sys_s;
    }
  }
  check_rows_and_drop();
  return cost;
}

template <typename Others>
Cost Bench::measure_others(Others others) {
  server_.execute(fmt::format("CREATE DATABASE {}", workload::kDatabase));
  const Cost cost = others();
  check_rows_and_drop();
  return cost;
}

/// Starts all at once, and waits for the last.
Cost Bench::time_children(const std::vector<base::Command>& commands) {
  server_.settle();
  Cost cost;
  const double begin = base::monotonic_seconds();
  std::vector<base::Child> children;
  for (const base::Command& command : commands) {
    children.push_back(base::Child::start(command));
  }
  for (base::Child& child : children) {
    const auto status = child.wait(kLimit, &interrupt_);
    if (!status || !status->success()) {
      throw base::Error(
          fmt::format("{} failed: {}", base::to_shell_text(commands.front()),
                      base::try_read_file(*commands.front().log).value_or("")));
    }
    cost.client_cpu_s += status->usage.user_s + status->usage.sys_s;
  }
  cost.wall_s = base::monotonic_seconds() - begin;
  return cost;
}

base::Command Bench::psql(const fs::path& script) const {
  base::Command command = postgres::psql_command(
      server_.spec(), server_.endpoint(),
      {.database = workload::kDatabase, .script = script});
  command.log = work_ / "log";
  return command;
}

base::Command Bench::client_program(const std::string& name,
                                    std::vector<std::string> arguments) const {
  base::Command command{
      .argv = {server_.spec().installation.program(name).string(),
               "--host=" + server_.endpoint().socket_directory.string(),
               "--username=" + server_.endpoint().user}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.log = work_ / "log";
  return command;
}

/// Throws Error unless each load of a job leaves the same rows.
void Bench::check_rows_and_drop() {
  std::map<std::string, std::string> found;
  for (const auto& table : postgres::read_contents(server_.endpoint(), {})) {
    found[table.name] = fmt::format("{} {}", table.rows, table.checksum);
  }
  if (checksums_.empty()) checksums_ = found;
  if (found != checksums_) {
    throw base::Error("two loads of the same data left different rows");
  }
  server_.execute(fmt::format("DROP DATABASE {}", workload::kDatabase));
}

/// Prints the ratios of each pair on stdout, for scripts/bench.
template <typename Others>
void Bench::measure_pairs(const std::string& name, const Job& job, long pairs,
                          Others others) {
  checksums_.clear();
  measure_product(job);  // the server's first work finds no files to reuse
  for (long pair = 1; pair <= pairs; ++pair) {
    // A B, B A, A B …: what drifts falls on both alike.
    const bool product_first = pair % 2 == 1;
    Cost theirs;
    if (!product_first) theirs = measure_others(others);
    const Cost ours = measure_product(job);
    if (product_first) theirs = measure_others(others);
    fmt::print(stderr,
               "pair {} {:10}  wall {:.2f} s : {:.2f} s  client cpu {:.2f} s : "
               "{:.2f} s\n",
               pair, name, ours.wall_s, theirs.wall_s, ours.client_cpu_s,
               theirs.client_cpu_s);
    fmt::print("wall_ratio/{} {:.4f}\n", name, ours.wall_s / theirs.wall_s);
    fmt::print("cpu_ratio/{} {:.4f}\n", name,
               ours.client_cpu_s / theirs.client_cpu_s);
    std::fflush(stdout);
  }
}

void Bench::against_two_psqls(long pairs) {
  workload::WorkloadSpec spec;
  spec.schema = {dump_.files.at(0).path};
  spec.data = {work_ / "data.sql"};
  measure_pairs("two_psqls", job(spec, {PhaseKind::kImport}), pairs, [this] {
    postgres::run_psql(psql(dump_.files.at(0).path), interrupt_);
    return time_children(
        {psql(work_ / "half-1.sql"), psql(work_ / "half-2.sql")});
  });
}

/// The archive is not compressed: pg_restore would have to undo that in the
/// timed span, the product has done so before.
void Bench::against_pg_restore(long pairs) {
  const fs::path archive = work_ / "shop.dump";
  measure_others([&] {
    for (const workload::InputFile& file : dump_.files) {
      postgres::run_psql(psql(file.path), interrupt_);
    }
    base::run_checked(client_program(
        "pg_dump", {"--format=custom", "--compress=0",
                    "--file=" + archive.string(), workload::kDatabase}));
    return Cost{};
  });
  workload::WorkloadSpec spec;
  spec.data = {archive};
  const Job restore =
      job(spec, {PhaseKind::kSchema, PhaseKind::kImport, PhaseKind::kIndex});
  measure_pairs("pg_restore", restore, pairs, [&] {
    return time_children({client_program(
        "pg_restore",
        {"--jobs=2", "--exit-on-error",
         fmt::format("--dbname={}", workload::kDatabase), archive.string()})});
  });
}

}  // namespace
}  // namespace sidegrade

/// jobs_bench TARGET CACHE PAIRS: with two connections to one server, whose
/// data lie in TARGET; the dump is made in CACHE unless it is there.
int main(int argc, char** argv) {
  const long pairs = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 0;
  if (pairs < 1) {
    fmt::print(stderr, "usage: jobs_bench TARGET CACHE PAIRS\n");
    return 2;
  }
  return sidegrade::test::run_bench([&] {
    sidegrade::Bench bench(argv[1], argv[2]);
    bench.against_pg_restore(pairs);
    bench.against_two_psqls(pairs);
  });
}
