#include "storage/commands.h"

#include <gmock/gmock.h>

namespace sidegrade::storage {
namespace {

using testing::ElementsAre;

LoopSpec image_of(const std::string& filesystem) {
  return {.size_bytes = 536870912,
          .filesystem = filesystem,
          .mkfs_arguments = {},
          .mount_options = "noatime",
          .image_directory = "/nowhere/images"};
}

std::string mkfs_text(const LoopSpec& spec) {
  return base::to_shell_text(mkfs_command(spec, "/i.img"));
}

TEST(PlannedCommands, OfALoopTargetAreInTheOrderOfExecution) {
  LoopSpec spec = image_of("ext3");
  spec.mkfs_arguments = {"-m", "0"};
  EXPECT_THAT(
      planned_commands({"a", spec}, "t1", "/nowhere/mnt"),
      ElementsAre(
          "truncate -s 536870912 /nowhere/images/sidegrade-t1.img",
          "mkfs.ext3 -q -F -m 0 /nowhere/images/sidegrade-t1.img",
          "fallocate -l 536870912 /nowhere/images/sidegrade-t1.img",
          "mkfs.ext3 -V",
          "losetup --find --show --direct-io=on "
          "/nowhere/images/sidegrade-t1.img",
          "mkdir -p -m 0711 /nowhere/mnt/sidegrade-t1",
          "mount -t ext3 -o noatime /dev/loopN /nowhere/mnt/sidegrade-t1",
          "mkdir -m 0700 /nowhere/mnt/sidegrade-t1/data",
          "dumpe2fs -h /dev/loopN"));
  EXPECT_THAT(
      planned_teardown({"a", spec}, "t1", "/nowhere/mnt"),
      ElementsAre("umount /nowhere/mnt/sidegrade-t1",
                  "rmdir /nowhere/mnt/sidegrade-t1", "losetup -d /dev/loopN",
                  "rm /nowhere/images/sidegrade-t1.img"));
}

TEST(PlannedCommands, OfADirectoryTargetMakeOneFolder) {
  EXPECT_THAT(planned_commands({"a", DirectorySpec{"/nowhere/x"}}, "t1", "/m"),
              ElementsAre("mkdir -m 0700 /nowhere/x/sidegrade-t1"));
  EXPECT_THAT(planned_teardown({"a", DirectorySpec{"/nowhere/x"}}, "t1", "/m"),
              ElementsAre("rm -r --one-file-system /nowhere/x/sidegrade-t1"));
}

TEST(PlannedCommands, MountHasNoOptionsWhereTheScenarioHasNone) {
  EXPECT_EQ(base::to_shell_text(mount_command({"xfs", "", "/dev/loop1", "/m"})),
            "mount -t xfs /dev/loop1 /m");
}

TEST(MkfsCommand, OfAnUnknownFileSystemHasOnlyTheScenariosArguments) {
  LoopSpec spec = image_of("new");
  spec.mkfs_arguments = {"--fast"};
  EXPECT_EQ(mkfs_text(spec), "mkfs.new --fast /i.img");
}

TEST(MkfsCommand, InitialisesExt4AtOnce) {
  EXPECT_EQ(mkfs_text(image_of("ext4")),
            "mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /i.img");
}

TEST(MkfsCommand, AddsToTheExtendedOptionsOfTheScenario) {
  LoopSpec spec = image_of("ext4");
  spec.mkfs_arguments = {"-E", "stride=4", "-m", "0"};
  EXPECT_EQ(mkfs_text(spec),
            "mkfs.ext4 -q -F -E "
            "stride=4,lazy_itable_init=0,lazy_journal_init=0 -m 0 /i.img");
  spec.mkfs_arguments = {"-Estride=4"};
  EXPECT_EQ(mkfs_text(spec),
            "mkfs.ext4 -q -F "
            "-Estride=4,lazy_itable_init=0,lazy_journal_init=0 /i.img");
}

TEST(MkfsCommand, LeavesLazinessToAScenarioThatSpeaksOfIt) {
  LoopSpec spec = image_of("ext4");
  spec.mkfs_arguments = {"-E", "lazy_itable_init=1"};
  EXPECT_EQ(mkfs_text(spec), "mkfs.ext4 -q -F -E lazy_itable_init=1 /i.img");
}

TEST(AttachCommand, AsksForDirectIoOnlyIfTold) {
  EXPECT_EQ(base::to_shell_text(attach_command("/i.img", LoopIo::kBuffered)),
            "losetup --find --show /i.img");
}

TEST(LockPath, OfADirectoryLiesInIt) {
  EXPECT_EQ(lock_path({"a", DirectorySpec{"/nowhere/b/../x"}}),
            "/nowhere/x/.sidegrade.lock");
}

TEST(LockPath, OfALoopTargetLiesBesideItsImageAndNamesTheTarget) {
  EXPECT_EQ(lock_path({"a", image_of("xfs")}),
            "/nowhere/images/.sidegrade-a.lock");
}

TEST(BackingDirectory, OfALoopTargetIsThatOfItsImage) {
  EXPECT_EQ(backing_directory({"a", image_of("xfs")}), "/nowhere/images");
}

TEST(UsableBytes, OfALoopTargetAreItsSize) {
  EXPECT_EQ(usable_bytes({"a", image_of("xfs")}), 536870912U);
}

}  // namespace
}  // namespace sidegrade::storage
