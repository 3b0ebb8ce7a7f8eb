#include "host/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "trees.h"

namespace sidegrade::host {
namespace {

using testing::IsEmpty;

TEST(DiskCounters, AreInBytesWhateverTheSectorSize) {
  const auto all = read_disk_counters(recorded("bare-metal"), {"sdb", "sdc"});
  ASSERT_EQ(all.size(), 2U);
  const DiskCounters& sdb = all.at("sdb");
  EXPECT_EQ(sdb.reads, 1000U);
  EXPECT_EQ(sdb.read_bytes, 80000U * 512);
  EXPECT_EQ(sdb.writes, 4001U);
  EXPECT_EQ(sdb.written_bytes, 640008U * 512);
  EXPECT_EQ(sdb.in_flight, 1U);
  EXPECT_EQ(sdb.flushes, 211U);
}

TEST(DiskCounters, OfOldKernelsHaveNoFlushes) {
  const auto all = read_disk_counters(recorded("vm"), {"vda"});
  EXPECT_EQ(all.at("vda").writes, 700U);
  EXPECT_EQ(all.at("vda").flushes, std::nullopt);
}

TEST(DiskCounters, AVanishedDeviceIsLeftOut) {
  EXPECT_THAT(read_disk_counters(recorded("vm"), {"sdz"}), IsEmpty());
}

TEST(DiskCounters, ATornLineIsLeftOut) {
  const TemporaryTree tree;
  tree.write("/proc/diskstats",
             "8 0 sda 1 2 3\n8 16 sdb 1 2 x 4 5 6 7 8 9 10 11\n8\n");
  EXPECT_THAT(read_disk_counters(tree.root(), {"sda", "sdb"}), IsEmpty());
}

TEST(DiskCounters, WithoutDiskstatsAreAnError) {
  const TemporaryTree tree;
  EXPECT_THROW(read_disk_counters(tree.root(), {"sda"}), base::Error);
}

/// /proc/<pid>/stat with these fields; `ticks` are utime, stime, cutime,
/// cstime.
void write_process(const TemporaryTree& tree, int pid, const std::string& name,
                   int parent, const std::string& ticks) {
  tree.write("/proc/" + std::to_string(pid) + "/stat",
             std::to_string(pid) + " (" + name + ") S " +
                 std::to_string(parent) + " 1 1 0 -1 4194304 100 200 3 4 " +
                 ticks + " 20 0 1 0 92171 3133440 374\n");
}

TEST(ProcessTree, SumsAProcessAndItsDescendants) {
  const TemporaryTree tree;
  const auto tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  write_process(tree, 10, "postgres", 1, "1 2 4 8");
  write_process(tree, 11, "postgres", 10, "16 32 0 0");
  write_process(tree, 12, "postgres", 11, "64 128 0 0");
  write_process(tree, 99, "other", 1, "1000 1000 1000 1000");
  const ServerCounters counters = read_process_tree(tree.root(), 10);
  EXPECT_DOUBLE_EQ(counters.user_s, (1 + 4 + 16 + 64) * tick);
  EXPECT_DOUBLE_EQ(counters.sys_s, (2 + 8 + 32 + 128) * tick);
  EXPECT_EQ(counters.major_faults, 3U * (3 + 4));
}

TEST(ProcessTree, IsNotMisledByAProcessName) {
  const TemporaryTree tree;
  const auto tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  write_process(tree, 10, "a) R (b 1 1", 1, "5 0 0 0");
  write_process(tree, 11, "two\nlines)", 10, "7 0 0 0");
  EXPECT_DOUBLE_EQ(read_process_tree(tree.root(), 10).user_s, 12 * tick);
}

TEST(ProcessTree, LeavesOutAProcessThatEndsWhileItIsRead) {
  const TemporaryTree tree;
  write_process(tree, 10, "postgres", 1, "0 0 0 0");
  tree.write("/proc/11/stat", "");
  tree.write("/proc/12/stat", "12 (postgres) S 10");
  EXPECT_EQ(read_process_tree(tree.root(), 10).major_faults, 7U);
}

TEST(ProcessTree, WithoutItsRootIsAnError) {
  const TemporaryTree tree;
  write_process(tree, 11, "postgres", 10, "1 1 1 1");
  EXPECT_THROW(read_process_tree(tree.root(), 10), base::Error);
}

TEST(ProcessTree, SeesWhatAChildBurns) {
  base::Command burn;
  burn.argv = {"sha256sum", "/dev/zero"};
  const base::Child child = base::Child::start(burn);
  EXPECT_TRUE(eventually(
      [&] { return read_process_tree(Root(), child.pid()).user_s >= 0.05; }));
  EXPECT_GE(read_process_tree(Root(), getpid()).user_s, 0.05);
}

TEST(ContextSwitches, AreThoseOfTheWholeMachine) {
  EXPECT_EQ(read_context_switches(recorded("bare-metal")), 123456789U);
  EXPECT_GT(read_context_switches(Root()).value_or(0), 0U);
}

TEST(ContextSwitches, AreAbsentWhereTheKernelDoesNotCountThem) {
  EXPECT_EQ(read_context_switches(recorded("vm")), std::nullopt);
}

}  // namespace
}  // namespace sidegrade::host
