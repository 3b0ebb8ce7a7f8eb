#include "host/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "trees.h"

namespace sidegrade::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const base::Interrupt kNever = base::Interrupt::never();

bool becomes_quiet(const Root& root, const std::vector<std::string>& devices,
                   milliseconds quiet_for = milliseconds(100)) {
  return wait_until_quiet(root, devices, quiet_for, milliseconds(400), kNever);
}

TEST(Quiet, IsADeviceThatStandsStill) {
  EXPECT_TRUE(becomes_quiet(recorded("bare-metal"), {"sda", "md0"}));
}

TEST(Quiet, IsNotADeviceWithARequestInFlight) {
  EXPECT_FALSE(becomes_quiet(recorded("bare-metal"), {"sdb"}));
}

TEST(Quiet, IsNotADeviceThatGoesOnWriting) {
  const TemporaryTree tree;
  const auto write_counters = [&](int writes) {
    // Renamed into place: a reader sees the whole file, as /proc gives it.
    tree.write("/new",
               "8 0 sda 1 0 8 0 " + std::to_string(writes) + " 0 8 0 0 0 0\n");
    std::filesystem::rename(tree.root() / "/new",
                            tree.root() / "/proc/diskstats");
  };
  tree.write("/proc/diskstats", "");
  write_counters(0);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int writes = 1; !done; ++writes) write_counters(writes);
  });
  EXPECT_FALSE(becomes_quiet(tree.root(), {"sda"}, milliseconds(300)));
  done = true;
  writer.join();
}

TEST(Quiet, AreNoDevicesAtOnce) {
  const TemporaryTree tree;
  EXPECT_TRUE(becomes_quiet(tree.root(), {}));
}

TEST(DropCaches, AsksForAllKinds) {
  const TemporaryTree tree;
  tree.write("/proc/sys/vm/drop_caches", "");
  drop_caches(tree.root());
  EXPECT_EQ(base::read_file(tree.root() / "/proc/sys/vm/drop_caches"), "3\n");
}

TEST(DropCaches, SaysWhoMayIfItFails) {
  const TemporaryTree tree;
  try {
    drop_caches(tree.root());
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("drop_caches"));
    EXPECT_THAT(error.hint(), HasSubstr("root"));
  }
}

TEST(SyncFileSystem, TakesAnyPathOnIt) {
  const TemporaryTree tree;
  EXPECT_NO_THROW(sync_file_system(tree.root().path));
}

TEST(SyncFileSystem, NamesThePathThatIsNotThere) {
  const TemporaryTree tree;
  try {
    sync_file_system(tree.root() / "/gone");
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/gone"));
  }
}

TEST(KernelLog, GivesWarningsThatCameSinceItWasMade) {
  const TemporaryTree tree;
  tree.write("/dev/kmsg", "3,1,10,-;an old error\n");
  KernelLog log(tree.root());
  EXPECT_THAT(log.take_new_warnings(), IsEmpty());
  tree.append("/dev/kmsg",
              "6,2,20,-;information\n"
              "4,3,30,-;EXT4-fs warning; remount\n"
              " SUBSYSTEM=block\n"
              "12,4,40,-;a warning of another facility\n"
              "13,5,50,-;a notice of another facility\n"
              "torn");
  EXPECT_THAT(
      log.take_new_warnings(),
      ElementsAre("EXT4-fs warning; remount", "a warning of another facility"));
  EXPECT_THAT(log.take_new_warnings(), IsEmpty());
}

TEST(KernelLog, SaysWhyItCantBeRead) {
  const TemporaryTree tree;
  KernelLog log(tree.root());
  EXPECT_THAT(log.absent_because(), HasSubstr("/dev/kmsg can't be read"));
  EXPECT_THAT(log.take_new_warnings(), IsEmpty());
}

TEST(KernelLog, OfThisMachineDoesNotWait) {
  KernelLog log{Root()};
  if (!log.absent_because().empty()) GTEST_SKIP() << log.absent_because();
  EXPECT_NO_THROW(log.take_new_warnings());
}

}  // namespace
}  // namespace sidegrade::host
