#include "base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/error_of.h"
#include "base/file.h"
#include "base/forked.h"
#include "base/interrupted.h"
#include "base/text.h"
#include "support/temp_dir.h"

namespace sidegrade::base {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A shell is the shortest way to a child that does what a test wants.
Command sh(const std::string& script) { return {.argv = {"sh", "-c", script}}; }

const Command kEndless = {.argv = {"sleep", "1000"}};

using test::interrupted;

TEST(Run, KeepsWhatIsPrintedAndTheExitCode) {
  const Output output = run(sh("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.status.code, 7);
  EXPECT_EQ(output.status.signal, 0);
  EXPECT_FALSE(output.status.success());
  EXPECT_EQ(output.status.text(), "exit code 7");
  EXPECT_GT(output.real_s, 0);
}

TEST(Run, ReportsTheSignalThatEndedIt) {
  const Output output = run(sh("kill -TERM $$"));
  EXPECT_EQ(output.status.signal, SIGTERM);
  EXPECT_FALSE(output.status.success());
  EXPECT_EQ(output.status.text(), "signal 15 (Terminated)");
}

TEST(Run, ReadsBothOutputsBeyondAPipesSize) {
  const Output output = run(
      sh("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; echo end"));
  EXPECT_EQ(output.err.size(), 300000U);
  EXPECT_EQ(output.out.size(), 300004U);
  EXPECT_TRUE(output.status.success());
}

TEST(Run, PassesWordsAsTheyAre) {
  EXPECT_EQ(run({.argv = {"printf", "%s|", "a b", "$HOME", "*", "'", ""}}).out,
            "a b|$HOME|*|'||");
}

TEST(Run, ChargesTheChildsProcessorTime) {
  const Output output =
      run(sh("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"));
  EXPECT_GT(output.status.usage.user_s + output.status.usage.sys_s, 0);
}

TEST(Run, NamesAProgramThatIsMissing) {
  EXPECT_THAT(
      test::error_of([] { run({.argv = {"/no/such/program"}}); }),
      AllOf(HasSubstr("/no/such/program could not be executed: No such"),
            HasSubstr("Install it")));
}

TEST(Run, NamesAProgramThatMayNotBeExecuted) {
  const test::TempDir folder;
  const std::string path = folder.file("plain", "text").string();
  EXPECT_THAT(test::error_of([&] { run({.argv = {path}}); }),
              AllOf(HasSubstr(path), HasSubstr("Permission denied"),
                    Not(HasSubstr("Install it"))));
}

TEST(Run, ThrowsWhenTheTimeIsOver) {
  const double begin = monotonic_seconds();
  EXPECT_EQ(
      test::error_of([] { run(kEndless, {.timeout = milliseconds(20)}); }),
      "sleep did not end in time\n");
  EXPECT_LT(monotonic_seconds() - begin, 60);
}

TEST(Run, ThrowsWhenTheTimeOfOneThatNeverStopsPrintingIsOver) {
  EXPECT_EQ(test::error_of([] {
              run(sh("yes & yes >&2"), {.timeout = milliseconds(20)});
            }),
            "sh did not end in time\n");
}

TEST(Run, ThrowsWhenTheTimeOfOneThatClosedItsOutputsIsOver) {
  EXPECT_EQ(test::error_of([] {
              run(sh("exec >&- 2>&-; exec sleep 1000"),
                  {.timeout = milliseconds(20)});
            }),
            "sh did not end in time\n");
}

TEST(Run, IsEndedByAnInterruption) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    std::raise(SIGINT);
    return interrupted([&] { run(kEndless, {.interrupt = &interrupt}); });
  }));
}

TEST(Run, IsEndedByAnInterruptionInItsMiddle) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    return interrupted([&] {
      run(sh("kill -INT $PPID; sleep 1000"), {.interrupt = &interrupt});
    });
  }));
}

TEST(Run, IsEndedByAnInterruptionEvenIfItHasALog) {
  const test::TempDir folder;
  EXPECT_TRUE(test::holds_when_forked([&] {
    const Interrupt interrupt = Interrupt::on_signals();
    Command command = sh("kill -INT $PPID; sleep 1000");
    command.log = folder / "log";
    return interrupted([&] { run(command, {.interrupt = &interrupt}); });
  }));
}

TEST(Run, GivesTheChildItsSignalsBack) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    return run(sh("kill -INT $$; exit 3")).status.signal == SIGINT;
  }));
}

TEST(Run, GivesNoInputUnlessAFileIsNamed) {
  const test::TempDir folder;
  Command command{.argv = {"cat"}};
  EXPECT_EQ(run(command).out, "");
  command.input = folder.file("input", "some text");
  EXPECT_EQ(run(command).out, "some text");
}

TEST(Run, NamesAnInputThatIsMissing) {
  const test::TempDir folder;
  Command command{.argv = {"cat"}};
  command.input = folder / "missing";
  EXPECT_THAT(test::error_of([&] { run(command); }),
              HasSubstr((folder / "missing").string()));
}

TEST(Run, AppendsBothOutputsToTheLog) {
  const test::TempDir folder;
  Command command = sh("echo out; echo err >&2");
  command.log = folder.file("log", "before\n");
  const Output output = run(command);
  EXPECT_EQ(output.out + output.err, "");
  EXPECT_EQ(read_file(*command.log), "before\nout\nerr\n");
}

TEST(Run, AddsToTheEnvironmentAndReplacesWhatIsThere) {
  EXPECT_TRUE(test::holds_when_forked([] {
    setenv("SIDEGRADE_TEST_A", "old", 1);
    setenv("SIDEGRADE_TEST_AB", "kept", 1);
    Command command{.argv = {"env"}};
    command.environment = {"SIDEGRADE_TEST_A=new", "SIDEGRADE_TEST_B=added"};
    const std::string out = "\n" + run(command).out;
    const auto has = [&](const char* text) {
      return out.find(text) != std::string::npos;
    };
    return has("\nSIDEGRADE_TEST_A=new\n") && !has("SIDEGRADE_TEST_A=old") &&
           has("\nSIDEGRADE_TEST_AB=kept\n") &&
           has("\nSIDEGRADE_TEST_B=added\n");
  }));
}

TEST(Run, WorksInTheGivenFolder) {
  const test::TempDir folder;
  Command command{.argv = {"pwd", "-P"}};
  command.working_directory = folder.path();
  EXPECT_EQ(run(command).out,
            std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Run, NamesTheProgramIfItsFolderIsMissing) {
  Command command{.argv = {"pwd"}};
  command.working_directory = "/no/such/folder";
  EXPECT_THAT(test::error_of([&] { run(command); }),
              HasSubstr("pwd could not be executed: No such file"));
}

TEST(Run, JoinsTheControlGroupBeforeTheProgramStarts) {
  const test::TempDir group;
  Command command = sh("cat " + group.file("cgroup.procs", "").string());
  command.cgroup = group.path();
  EXPECT_EQ(run(command).out, "0");
}

TEST(Run, NamesAControlGroupThatIsMissing) {
  const test::TempDir folder;
  Command command{.argv = {"true"}};
  command.cgroup = folder / "gone";
  EXPECT_THAT(test::error_of([&] { run(command); }),
              HasSubstr((folder / "gone").string()));
}

class RunAsAnother : public testing::Test {
 protected:
  void SetUp() override {
    if (!running_as_root()) GTEST_SKIP() << "only root can run as another user";
    other_ = find_user("nobody");
    if (!other_) GTEST_SKIP() << "there is no account `nobody`";
  }

  std::optional<User> other_;
};

TEST_F(RunAsAnother, HasTheIdsAndGroupsOfThatUserAndNoneOfOurs) {
  Command command = sh("id -u; id -g; id -G");
  command.user = other_;
  std::vector<std::string> groups;
  for (const gid_t group : groups_of(*other_)) {
    groups.push_back(std::to_string(group));
  }
  const std::string expected = std::to_string(other_->uid) + "\n" +
                               std::to_string(other_->gid) + "\n" +
                               join(groups, " ") + "\n";
  EXPECT_TRUE(test::holds_when_forked([&] {
    const gid_t ours = 54321;
    return setgroups(1, &ours) == 0 && run(command).out == expected;
  }));
}

TEST_F(RunAsAnother, StillWritesALogThatOnlyRootMayOpen) {
  const test::TempDir folder;
  Command command = sh("id -un");
  command.user = other_;
  command.log = folder / "log";
  run(command);
  EXPECT_EQ(read_file(folder / "log"), other_->name + "\n");
}

TEST_F(RunAsAnother, IsRefusedToOrdinaryUsers) {
  EXPECT_TRUE(test::holds_when_forked([&] {
    if (setgid(other_->gid) != 0 || setuid(other_->uid) != 0) return false;
    Command command{.argv = {"true"}};
    command.user = find_user("root");
    return test::error_of([&] {
             run(command);
           }).find("true could not be executed: Operation not permitted") !=
           std::string::npos;
  }));
}

TEST(RunChecked, ReturnsWhatWasPrinted) {
  EXPECT_EQ(run_checked(sh("echo fine; echo noise >&2")), "fine\n");
}

TEST(RunChecked, ThrowsWithTheLastLinesAndTheCommand) {
  EXPECT_EQ(test::error_of([] { run_checked(sh("seq 7 >&2; exit 1")); }),
            "sh failed with exit code 1: 3\n4\n5\n6\n7\n"
            "The command was: sh -c 'seq 7 >&2; exit 1'");
}

TEST(RunChecked, TakesWordsFromStandardOutputIfThereAreNoOthers) {
  EXPECT_THAT(test::error_of([] { run_checked(sh("echo why; exit 2")); }),
              HasSubstr("sh failed with exit code 2: why\n"));
  EXPECT_THAT(test::error_of([] { run_checked(sh("exit 2")); }),
              HasSubstr("sh failed with exit code 2\n"));
}

TEST(ShellText, QuotesWhereAShellNeedsIt) {
  const auto text = [](std::vector<std::string> words) {
    return to_shell_text({.argv = std::move(words)});
  };
  EXPECT_EQ(text({"mkfs.ext3", "-q", "/dev/loop0"}), "mkfs.ext3 -q /dev/loop0");
  EXPECT_EQ(text({"a", "-m crc=1", ""}), "a '-m crc=1' ''");
  EXPECT_EQ(text({"echo", "it's", "$HOME", "~"}),
            "echo 'it'\\''s' '$HOME' '~'");
}

TEST(ShellText, IsReadByAShellAsItWasMeant) {
  const std::vector<std::string> words = {"printf", "%s|",  "a b", "it's",
                                          "$HOME",  "a\nb", "",    "*?[~#"};
  EXPECT_EQ(run(sh(to_shell_text({.argv = words}))).out,
            run({.argv = words}).out);
}

struct TestPipe {
  TestPipe() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) std::abort();
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
  /// What comes next, "" at the end of all writers, "silence" if neither.
  std::string next() const {
    pollfd fd{read.get(), POLLIN, 0};
    if (poll(&fd, 1, 30'000) <= 0) return "silence";
    char buffer[64];
    const ssize_t count = ::read(read.get(), buffer, sizeof buffer);
    return {buffer, static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }

  UniqueFd read;
  UniqueFd write;
};

TEST(Child, HasNoStatusUntilItEnds) {
  Child child = Child::start(kEndless);
  EXPECT_FALSE(child.wait(milliseconds(0)).has_value());
  child.kill(SIGTERM);
  const auto status = child.wait(std::chrono::hours(24 * 365));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->signal, SIGTERM);
}

TEST(Child, KeepsItsStatusAndIsKilledNoMore) {
  Child child = Child::start(sh("exit 4"));
  ASSERT_TRUE(child.wait(std::chrono::minutes(1)).has_value());
  child.kill(SIGKILL);
  EXPECT_EQ(child.wait(milliseconds(0)).value().code, 4);
}

TEST(Child, IsKilledAtItsEndWithWhatItStarted) {
  TestPipe pipe;
  {
    const Child child = Child::start(sh("sleep 1000 & echo ready; wait"),
                                     pipe.write.get(), pipe.write.get());
    pipe.write.reset();
    EXPECT_EQ(pipe.next(), "ready\n");
  }
  EXPECT_EQ(pipe.next(), "");
}

TEST(Child, LivesOnWhereItIsMovedTo) {
  TestPipe first;
  TestPipe second;
  Child child =
      Child::start(sh("echo ready; exec sleep 1000"), first.write.get());
  first.write.reset();
  EXPECT_EQ(first.next(), "ready\n");
  Child other =
      Child::start(sh("echo ready; exec sleep 1000"), second.write.get());
  second.write.reset();
  EXPECT_EQ(second.next(), "ready\n");
  child = std::move(other);
  EXPECT_EQ(first.next(), "");
  EXPECT_FALSE(child.wait(milliseconds(0)).has_value());
}

TEST(Child, IsWaitedForUntilAnInterruption) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    Child child = Child::start(kEndless);
    std::raise(SIGTERM);
    return interrupted([&] { child.wait(std::chrono::hours(1), &interrupt); });
  }));
}

TEST(Usage, IsAddedAndSubtractedMemberByMember) {
  const ResourceUsage one{1.5, 0.5, 10, 20, 30};
  const ResourceUsage other{0.5, 0.25, 1, 2, 3};
  const ResourceUsage sum = one + other;
  const ResourceUsage difference = one - other;
  EXPECT_EQ(sum.user_s, 2.0);
  EXPECT_EQ(sum.sys_s, 0.75);
  EXPECT_EQ(sum.major_faults, 11);
  EXPECT_EQ(sum.voluntary_switches, 22);
  EXPECT_EQ(sum.involuntary_switches, 33);
  EXPECT_EQ(difference.user_s, 1.0);
  EXPECT_EQ(difference.sys_s, 0.25);
  EXPECT_EQ(difference.major_faults, 9);
  EXPECT_EQ(difference.voluntary_switches, 18);
  EXPECT_EQ(difference.involuntary_switches, 27);
}

TEST(Usage, OfAThreadGrowsWithItsWork) {
  const ResourceUsage before = thread_usage();
  const auto used = [&] {
    const ResourceUsage now = thread_usage() - before;
    return now.user_s + now.sys_s;
  };
  const double limit = monotonic_seconds() + 30;
  while (used() == 0 && monotonic_seconds() < limit) continue;
  EXPECT_GT(used(), 0);
}

TEST(FindProgram, LooksThroughPathInItsOrder) {
  const test::TempDir folder;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(folder / name);
    std::filesystem::permissions(
        folder.file(std::string(name) + "/tool", "#!/bin/sh\n"),
        std::filesystem::perms(0755));
  }
  std::filesystem::create_directories(folder / "c" / "tool");
  EXPECT_TRUE(test::holds_when_forked([&] {
    const std::string path =
        (folder / "none").string() + ":" + (folder / "c").string() + ":" +
        (folder / "b").string() + ":" + (folder / "a").string();
    setenv("PATH", path.c_str(), 1);
    return find_program("tool") == folder / "b" / "tool" &&
           !find_program("sh").has_value();
  }));
}

TEST(FindProgram, TakesAPathAsItIs) {
  const test::TempDir folder;
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/no-such-program"), std::nullopt);
  EXPECT_EQ(find_program(folder.file("plain", "").string()), std::nullopt);
  EXPECT_EQ(find_program(folder.path().string()), std::nullopt);
}

}  // namespace
}  // namespace sidegrade::base
