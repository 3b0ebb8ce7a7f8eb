#include "host/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "trees.h"

namespace sidegrade::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "sda1 partition", "md0 md" …
std::vector<std::string> names_under(const Root& root,
                                     const std::string& path) {
  std::vector<std::string> names;
  for (const BlockDevice& device : devices_under(root, path)) {
    names.push_back(device.name + " " + device.kind);
  }
  return names;
}

Facts facts_of(const Root& root, const std::string& name) {
  const auto device = find_device(root, name);
  return device ? device_facts(root, *device) : Facts();
}

TEST(DevicesUnder, AnArrayAreItsMembersAndTheirDisks) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/srv/raid/data"),
              ElementsAre("md0 md", "sda1 partition", "sda disk",
                          "sdb1 partition", "sdb disk"));
}

TEST(DevicesUnder, ADiskIsTheDisk) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/srv/xfs"),
              ElementsAre("sdc disk"));
}

TEST(DevicesUnder, ALoopDeviceAreThoseThatHoldItsFile) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/mnt/image"),
              ElementsAre("loop0 loop", "sdc disk"));
}

TEST(DevicesUnder, AMappedDeviceAreItsSlaves) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/var/lib/postgresql"),
              ElementsAre("dm-0 dm", "nvme0n1p3 partition", "nvme0n1 disk"));
}

TEST(DevicesUnder, BtrfsAreAllItsDevices) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/srv/btrfs/x"),
              ElementsAre("sdd disk", "sde disk"));
}

TEST(DevicesUnder, BtrfsOfAnUnknownKindIsItsSource) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo",
             "1 0 0:40 / / rw - btrfs /dev/mapper/data rw\n");
  tree.write("/sys/block/dm-3/dev", "253:3\n");
  tree.write("/sys/block/dm-3/dm/name", "data\n");
  tree.write("/dev/dm-3", "");
  std::filesystem::create_directories(tree.root() / "/dev/mapper");
  std::filesystem::create_symlink("../dm-3", tree.root() / "/dev/mapper/data");
  EXPECT_THAT(names_under(tree.root(), "/srv"), ElementsAre("dm-3 dm"));
}

TEST(DevicesUnder, MemoryAndOverlaysAreNone) {
  EXPECT_THAT(names_under(recorded("bare-metal"), "/tmp/x"), IsEmpty());
  EXPECT_THAT(names_under(recorded("vm"), "/srv/overlay"), IsEmpty());
}

TEST(DevicesUnder, ARootFileSystemAreItsPartitionAndDisk) {
  EXPECT_THAT(names_under(recorded("vm"), "/"),
              ElementsAre("vda1 partition", "vda disk"));
}

TEST(DevicesUnder, AnImageOnItselfEndAll) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo", "1 0 7:0 / / rw - ext4 /dev/loop0 rw\n");
  tree.write("/sys/block/loop0/dev", "7:0\n");
  tree.write("/sys/block/loop0/loop/backing_file", "/a.img\n");
  EXPECT_THAT(names_under(tree.root(), "/"), ElementsAre("loop0 loop"));
}

TEST(FindDevice, KnowsNoDeviceThatIsNotThere) {
  EXPECT_EQ(find_device(recorded("vm"), "sda"), std::nullopt);
}

TEST(FindDevice, KnowsAnUnboundLoopDevice) {
  const auto loop = find_device(recorded("bare-metal"), "loop1");
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->kind, "loop");
  EXPECT_THAT(loop->below, IsEmpty());
}

TEST(DeviceFacts, OfADiskIdentifyIt) {
  Facts facts = facts_of(recorded("bare-metal"), "sda");
  EXPECT_EQ(facts["kind"].value, "disk");
  EXPECT_EQ(facts["model"].value, "WDC WD5003ABYZ-0");
  EXPECT_EQ(facts["serial"].value, "WD-WMAYP00000A");
  EXPECT_EQ(facts["wwn"].value, "naa.50014ee0sda");
  EXPECT_EQ(facts["firmware"].value, "1S03");
  EXPECT_EQ(facts["size_bytes"].value, "500107862016");
}

TEST(DeviceFacts, OfADiskTellItsQueue) {
  Facts facts = facts_of(recorded("bare-metal"), "sdc");
  EXPECT_EQ(facts["scheduler"].value, "mq-deadline");
  EXPECT_EQ(facts["write_cache"].value, "write through");
  EXPECT_EQ(facts["read_ahead_kb"].value, "128");
  EXPECT_EQ(facts["rotational"].value, "0");
  EXPECT_EQ(facts["logical_block_size"].value, "512");
}

TEST(DeviceFacts, OfNvmeAndVirtioTellSerialNumbersToo) {
  EXPECT_EQ(facts_of(recorded("bare-metal"), "nvme0n1")["serial"].value,
            "S4EUNX0R100001");
  EXPECT_EQ(facts_of(recorded("vm"), "vda")["serial"].value, "disk-0001");
}

TEST(DeviceFacts, SayWhyThereIsNoModel) {
  EXPECT_THAT(facts_of(recorded("vm"), "vda")["model"].absent_because,
              HasSubstr("model"));
}

TEST(DeviceFacts, OfAnArrayTellWhetherItIsWhole) {
  Facts facts = facts_of(recorded("bare-metal"), "md0");
  EXPECT_EQ(facts["md.level"].value, "raid1");
  EXPECT_EQ(facts["md.members"].value, "sda1 sdb1");
  EXPECT_EQ(facts["md.sync_action"].value, "idle");
  EXPECT_EQ(facts["md.degraded"].value, "0");
  EXPECT_FALSE(facts.contains("serial"));
}

TEST(DeviceFacts, OfALoopDeviceNameItsFile) {
  Facts facts = facts_of(recorded("bare-metal"), "loop0");
  EXPECT_EQ(facts["loop.backing_file"].value, "/srv/xfs/images/a.img");
  EXPECT_EQ(facts["loop.direct_io"].value, "1");
}

TEST(DeviceFacts, OfAPartitionTellWhereItBegins) {
  Facts facts = facts_of(recorded("bare-metal"), "sda1");
  EXPECT_EQ(facts["start_sector"].value, "2048");
  EXPECT_EQ(facts["disk"].value, "sda");
  EXPECT_FALSE(facts.contains("scheduler"));
}

TEST(Mounts, KeepEachOptionOnceAndTheStricterOfTwo) {
  const auto mount = mount_of(recorded("bare-metal"), "/srv/my disk/x");
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->point, "/srv/my disk");
  EXPECT_EQ(mount->type, "xfs");
  EXPECT_EQ(mount->source, "/dev/sdc");
  EXPECT_EQ(mount->device_number, "8:32");
  EXPECT_EQ(mount->options, "ro,relatime,attr2");
}

TEST(Mounts, ReadOptionalFieldsAndNone) {
  EXPECT_EQ(mount_of(recorded("bare-metal"), "/tmp")->type, "tmpfs");
  EXPECT_EQ(mount_of(recorded("bare-metal"), "/var/lib")->options,
            "rw,relatime");
}

TEST(Mounts, AreNotMistakenForLongerNames) {
  EXPECT_EQ(mount_of(recorded("bare-metal"), "/srv/xfs2")->point, "/");
}

TEST(Mounts, PassOverTornLines) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo",
             "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /srv rw - xfs");
  EXPECT_EQ(mounts(tree.root()).size(), 1U);
}

TEST(Mounts, OfEqualsTheLastMountedHolds) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo",
             "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
             "2 1 8:2 / /srv rw - xfs /dev/sda2 rw\n"
             "3 2 8:3 / /srv rw - ext3 /dev/sda3 rw\n");
  EXPECT_EQ(mount_of(tree.root(), "/srv/x")->type, "ext3");
}

TEST(Mounts, WithoutMountinfoAreAnErrorThatNamesIt) {
  const TemporaryTree tree;
  try {
    mounts(tree.root());
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/proc/self/mountinfo"));
  }
}

TEST(ThisMachine, HasAMountForEachPath) {
  EXPECT_EQ(mount_of(Root(), "/proc/self")->type, "proc");
}

}  // namespace
}  // namespace sidegrade::host
