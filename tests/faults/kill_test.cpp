// SIGKILL of the tool in every step of a trial, and at every durable write:
// afterwards `restore` finds and removes all that is left.
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "base/user.h"
#include "support/scenario_bed.h"

namespace {

/// Counts down at each durable write of the process that set it.
std::atomic<int> writes_until_death{-1};

}  // namespace

/// Stands in front of the C library's: the write it is asked to make durable
/// may be the last thing that this process does.
extern "C" int fdatasync(int fd) {
  const int result = static_cast<int>(syscall(SYS_fdatasync, fd));
  if (writes_until_death >= 0 && writes_until_death-- == 0) {
    kill(getpid(), SIGKILL);
  }
  return result;
}

namespace sidegrade::bench {
namespace {

using test::ScenarioBed;
using testing::IsEmpty;

class Kill : public testing::Test {
 protected:
  void SetUp() override {
    if (!base::running_as_root()) {
      GTEST_SKIP() << "loop devices and mounts need root";
    }
    bed_.dir().file("data.sql",
                    "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n\\.\n"
                    "CREATE INDEX i ON t (a);\n");
  }

  /// Runs in a child process, which `arrange` prepares for its death. Whether
  /// it was killed.
  bool killed_run(const std::string& yaml,
                  const std::function<void()>& arrange) {
    const pid_t child = fork();
    if (child == 0) {
      arrange();
      bed_.run(yaml);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  void expect_restored(const std::string& when) {
    EXPECT_THAT(restore(pending_restores(bed_.paths().state)), IsEmpty())
        << when;
    EXPECT_THAT(bed_.leftovers(), IsEmpty()) << when;
    // Whatever was durable is still readable.
    if (std::filesystem::exists(bed_.paths().results)) {
      EXPECT_LE(store::load(bed_.paths().results).warnings.size(), 1U) << when;
    }
  }

  ScenarioBed bed_;
};

TEST_F(Kill, InAnyStepOfATrialLeavesNothingAfterRestore) {
  const std::string yaml = ScenarioBed::loop_scenario("{data: data.sql}");
  size_t killed = 0;
  for (size_t step = 0;; ++step) {
    std::string last;
    const auto arrange = [&] {
      bed_.progress().at_event = [&](const std::string&) {
        if (bed_.progress().events.size() > step) kill(getpid(), SIGKILL);
      };
    };
    if (!killed_run(yaml, arrange)) break;
    ++killed;
    expect_restored("killed at event " + std::to_string(step));
    if (HasFailure()) return;
  }
  // run, trial, provision … tear_down, end: each of them was tried.
  EXPECT_GE(killed, 16U);
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(Kill, AtAnyDurableWriteLeavesNothingAfterRestore) {
  const std::string yaml = ScenarioBed::loop_scenario("{data: data.sql}");
  int killed = 0;
  for (int write = 0;; ++write) {
    if (!killed_run(yaml, [&] { writes_until_death = write; })) break;
    ++killed;
    expect_restored("killed at durable write " + std::to_string(write));
    if (HasFailure()) return;
  }
  // Seven promises and their fulfilment, and the records of the run.
  EXPECT_GE(killed, 16);
}

TEST_F(Kill, InTheMiddleOfAnImportLeavesNothingAfterRestore) {
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (a int);\nINSERT INTO t SELECT "
                  "generate_series(1, 1000);\nSELECT "
                  "pg_sleep(60);\n");
  const auto arrange = [&] {
    bed_.progress().at_event = [&](const std::string& event) {
      if (event != "step import") return;
      std::thread([&] {
        while (bed_.progress().bytes_sent == 0) std::this_thread::yield();
        kill(getpid(), SIGKILL);
      }).detach();
    };
  };
  ASSERT_TRUE(
      killed_run(ScenarioBed::loop_scenario("{data: data.sql}"), arrange));
  EXPECT_THAT(bed_.leftovers(), testing::Not(IsEmpty()))
      << "the run was killed before it had begun anything";
  expect_restored("killed in the import");
}

}  // namespace
}  // namespace sidegrade::bench
