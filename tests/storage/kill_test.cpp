#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <iostream>

#include "base/undo.h"
#include "storage/machine.h"
#include "storage/target.h"

namespace {

/// How many durable writes this process does before it is killed; 0: never.
int writes_to_live = 0;

}  // namespace

/// Stands before the C library's, to die right behind a durable write: what was
/// promised is known, and not yet done.
extern "C" int fdatasync(int fd) {
  const long result = syscall(SYS_fdatasync, fd);
  if (writes_to_live > 0 && --writes_to_live == 0) raise(SIGKILL);
  return static_cast<int>(result);
}

namespace sidegrade::storage {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kMiB = uint64_t{1} << 20;

enum class End { kFinished, kKilled, kFailed };

/// Runs `body` in a child process, which then ends without tidying up.
End run_in_child(const std::function<void()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    try {
      body();
      _exit(0);
    } catch (const std::exception& error) {
      std::cerr << error.what() << std::endl;
      _exit(1);
    }
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return End::kKilled;
  return WEXITSTATUS(status) == 0 ? End::kFinished : End::kFailed;
}

class KilledTrial : public testing::Test {
 protected:
  /// A trial in a child that provisions, and is abandoned then.
  End abandon(const TargetSpec& target) const {
    return run_in_child([&] {
      base::UndoJournal journal = base::UndoJournal::create(state_, "run");
      const base::UndoActions actions = undo_actions();
      base::UndoStack undo(journal, actions);
      provisioner().provision(target, "t1", owner_, undo);
      _exit(0);
    });
  }

  /// A whole trial in a child that is killed at its `writes`-th durable write,
  /// if it does that many.
  End live_for(int writes, const TargetSpec& target) const {
    return run_in_child([&] {
      base::UndoJournal journal = base::UndoJournal::create(state_, "run");
      const base::UndoActions actions = undo_actions();
      base::UndoStack undo(journal, actions);
      writes_to_live = writes;
      provisioner().provision(target, "t1", owner_, undo);
      undo.unwind();
    });
  }

  void restore() const {
    const auto journals = base::read_journals(state_);
    ASSERT_LE(journals.size(), 1U);
    for (const auto& journal : journals) {
      EXPECT_FALSE(journal.alive);
      base::fulfil(journal, undo_actions());
    }
    EXPECT_THAT(test::leftovers(temporary_.path()), IsEmpty());
    EXPECT_THAT(base::read_journals(state_), IsEmpty());
  }

  void kill_at_each_write(const TargetSpec& target) const {
    int writes = 1;
    End end = live_for(writes, target);
    for (; end == End::kKilled; end = live_for(++writes, target)) {
      SCOPED_TRACE("killed at write " + std::to_string(writes));
      restore();
    }
    restore();
    EXPECT_EQ(end, End::kFinished);
    EXPECT_GT(writes, 2);
  }

  HostProvisioner provisioner() const {
    return HostProvisioner(temporary_.path() / "mounts");
  }

  test::TemporaryFolder temporary_;
  std::filesystem::path state_ = temporary_.path() / "state";
  base::User owner_ =
      base::running_as_root() ? test::ordinary_user() : base::current_user();
};

TEST_F(KilledTrial, AnAbandonedImageIsRestored) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  ASSERT_EQ(abandon(test::loop_target("ext3", 32 * kMiB,
                                      temporary_.folder("images"))),
            End::kFinished);
  EXPECT_THAT(test::leftovers(temporary_.path()), SizeIs(testing::Ge(4U)));
  restore();
}

TEST_F(KilledTrial, AnImageIsRestoredWhereverItDied) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  kill_at_each_write(
      test::loop_target("ext3", 16 * kMiB, temporary_.folder("images")));
}

TEST_F(KilledTrial, ADirectoryIsRestoredWhereverItDied) {
  kill_at_each_write({"here", DirectorySpec{temporary_.folder("images")}});
}

}  // namespace
}  // namespace sidegrade::storage
