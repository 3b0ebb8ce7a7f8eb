#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/text.h"
#include "bench/restore.h"
#include "bench/run.h"
#include "host/processes.h"
#include "scenario/scenario.h"
#include "store/store.h"
#include "support/recording_progress.h"
#include "support/temp_dir.h"

namespace sidegrade::test {

/// A folder in which whole runs can be made, and looked at afterwards: scenario
/// and SQL files, results, state, cache, a target, and the runtime folder.
class ScenarioBed {
 public:
  ScenarioBed() {
    for (const char* name : {"target", "images", "run"}) {
      std::filesystem::create_directory(dir_ / name);
      std::filesystem::permissions(dir_ / name, std::filesystem::perms(0777));
    }
    paths_.results = dir_ / "results";
    paths_.state = dir_ / "state";
    paths_.cache = dir_ / "cache";
    paths_.runtime = dir_ / "run";
    paths_.schemas = std::filesystem::path(SIDEGRADE_SOURCE_DIR) / "schemas";
  }

  const TempDir& dir() const { return dir_; }
  bench::Paths& paths() { return paths_; }
  RecordingProgress& progress() { return progress_; }

  /// One round on the directory `target`, no warm-up, small clusters.
  static std::string directory_scenario(const std::string& workload,
                                        int rounds = 1) {
    return text(workload, "{name: here, path: target}", rounds);
  }
  /// The same on an ext3 loop image of this size.
  static std::string loop_scenario(const std::string& workload, int rounds = 1,
                                   const std::string& size = "96 MiB") {
    return text(workload,
                "{name: ext3, loop: {size: " + size +
                    ", filesystem: ext3, image_dir: images}}",
                rounds);
  }

  scenario::Scenario load(const std::string& yaml) const {
    return scenario::load_scenario(dir_.file("scenario.yaml", yaml),
                                   paths_.schemas);
  }
  bench::RunOutcome run(const std::string& yaml,
                        const base::Interrupt& interrupt) {
    return bench::execute_run(load(yaml), paths_, progress_, interrupt);
  }
  bench::RunOutcome run(const std::string& yaml) {
    return run(yaml, base::Interrupt::never());
  }
  std::vector<store::Sample> samples() const {
    std::vector<store::Sample> all;
    for (const store::Run& one : store::load(paths_.results).runs) {
      all.insert(all.end(), one.samples.begin(), one.samples.end());
    }
    return all;
  }

  /// Shared memory that PostgreSQL's servers of this user hold or have left.
  static std::vector<std::string> shared_memory() {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      if (entry.path().filename().string().starts_with("PostgreSQL.")) {
        found.push_back(entry.path());
      }
    }
    std::istringstream segments(base::read_file("/proc/sysvipc/shm"));
    for (std::string line; std::getline(segments, line);) {
      // key and id: what else stands there changes by itself
      const auto words = base::split_words(line);
      found.push_back(words.at(0) + " " + words.at(1));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// What is left of trials on the machine; empty after a clean end.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> left;
    for (const char* folder : {"target", "images", "run"}) {
      for (const auto& entry :
           std::filesystem::directory_iterator(dir_ / folder)) {
        left.push_back("file " + entry.path().string());
      }
    }
    for (const pid_t pid : host::processes_in({}, dir_.path())) {
      left.push_back("process " + std::to_string(pid));
    }
    for (const std::string& line :
         base::split(base::read_file("/proc/self/mountinfo"), '\n')) {
      if (line.find(dir_.path().string()) != std::string::npos) {
        left.push_back("mount " + line);
      }
    }
    for (const auto& entry :
         std::filesystem::directory_iterator("/sys/block")) {
      const auto file = base::try_read_file(entry.path() / "loop/backing_file");
      if (file && file->find(dir_.path().string()) != std::string::npos) {
        left.push_back("loop device of " + *file);
      }
    }
    for (const base::PendingJournal& journal :
         bench::pending_restores(paths_.state)) {
      left.push_back("journal " + journal.path.string());
    }
    return left;
  }

 private:
  static std::string text(const std::string& workload,
                          const std::string& target, int rounds) {
    return "name: test\npostgres: {settings: {max_wal_size: 32MB, "
           "min_wal_size: 32MB, shared_buffers: 16MB}}\nworkload: " +
           workload + "\ntargets:\n  - " + target +
           "\nrepetitions: {rounds: " + std::to_string(rounds) +
           ", warmup: 0}\nstate: {settle: 0s}\n";
  }

  TempDir dir_;
  bench::Paths paths_;
  RecordingProgress progress_;
};

}  // namespace sidegrade::test
