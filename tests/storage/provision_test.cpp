#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "base/process.h"
#include "base/undo.h"
#include "storage/loop.h"
#include "storage/machine.h"
#include "storage/mount.h"
#include "storage/target.h"

namespace sidegrade::storage {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// A machine with folders for images, mounts and journals, and a trial's stack.
class Provision : public testing::Test {
 protected:
  ProvisionedTarget provision(const TargetSpec& target) {
    return provisioner_.provision(target, "t1", owner_, undo_);
  }
  TargetSpec loop(const std::string& filesystem, uint64_t size_bytes) const {
    return test::loop_target(filesystem, size_bytes, images_);
  }
  std::vector<std::string> leftovers() const {
    return test::leftovers(temporary_.path());
  }
  void round_trip(const TargetSpec& target, const std::string& filesystem);

  test::TemporaryFolder temporary_;
  fs::path images_ = temporary_.folder("images");
  fs::path mounts_ = temporary_.path() / "mounts";
  base::User owner_ =
      base::running_as_root() ? test::ordinary_user() : base::current_user();
  base::UndoActions actions_ = undo_actions();
  base::UndoJournal journal_ =
      base::UndoJournal::create(temporary_.path() / "state", "run");
  base::UndoStack undo_{journal_, actions_};
  HostProvisioner provisioner_{mounts_};
};

void Provision::round_trip(const TargetSpec& target,
                           const std::string& filesystem) {
  const ProvisionedTarget ready = provision(target);
  base::run_checked({.argv = {"touch", ready.folder / "file"}, .user = owner_});
  struct stat folder {};
  ASSERT_EQ(stat(ready.folder.c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 07777, 0700U);
  EXPECT_EQ(folder.st_uid, owner_.uid);
  ASSERT_FALSE(ready.devices.empty());
  EXPECT_THAT(ready.devices.front(), StartsWith("loop"));
  EXPECT_EQ(ready.facts.at("mount.type").value, filesystem);
  EXPECT_THAT(ready.facts.at("mount.options").value, HasSubstr("noatime"));
  EXPECT_EQ(ready.facts.at("mount.source").value,
            "/dev/" + ready.devices.front());
  EXPECT_EQ(ready.facts.at("image.allocated").value, "full");
  EXPECT_THAT(ready.facts,
              Contains(Key("block." + ready.devices.front() + ".kind")));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, AnExt3ImageServesItsOwnerAndLeavesNothing) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  round_trip(loop("ext3", 32 * kMiB), "ext3");
}

TEST_F(Provision, AnXfsImageServesItsOwnerAndLeavesNothing) {
  if (const auto reason = test::why_no_loops("xfs"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  round_trip(loop("xfs", 300 * kMiB), "xfs");
}

TEST_F(Provision, AnImagesFileSystemTellsItsVersionAndFeatures) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const host::Facts facts = provision(loop("ext3", 32 * kMiB)).facts;
  EXPECT_THAT(facts.at("filesystem.mkfs_version").value, StartsWith("mke2fs "));
  EXPECT_THAT(facts.at("filesystem.features").value, HasSubstr("has_journal"));
}

TEST_F(Provision, AnImageHasAllItsBlocksBeforeItIsMeasured) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  provision(loop("ext3", 32 * kMiB));
  struct stat image {};
  ASSERT_EQ(stat((images_ / "sidegrade-t1.img").c_str(), &image), 0);
  EXPECT_GE(static_cast<uint64_t>(image.st_blocks) * 512, 32 * kMiB);
}

TEST_F(Provision, AFailingMkfsIsNamedAndLeavesNothing) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const test::FakeProgram mkfs(temporary_, "mkfs.ext3",
                               "echo the disk is on fire >&2; exit 1");
  EXPECT_THAT([&] { provision(loop("ext3", 8 * kMiB)); },
              ThrowsMessage<base::Error>(
                  AllOf(HasSubstr("target \"target-ext3\""),
                        HasSubstr("mkfs.ext3 failed with exit code 1"),
                        HasSubstr("the disk is on fire"))));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, AMissingMkfsIsNamedAndLeavesNothing) {
  EXPECT_THAT([&] { provision(loop("nosuchfs", 8 * kMiB)); },
              ThrowsMessage<base::Error>(
                  HasSubstr("mkfs.nosuchfs could not be executed")));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, RefusedMountOptionsLeaveNothing) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  TargetSpec target = loop("ext3", 8 * kMiB);
  std::get<LoopSpec>(target.place).mount_options = "no_such_option";
  EXPECT_THAT([&] { provision(target); },
              ThrowsMessage<base::Error>(HasSubstr("could not be mounted at")));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, FallsBackToBufferedIoWhereDirectIoIsRefused) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const std::string losetup = base::find_program("losetup").value();
  const test::FakeProgram fake(
      temporary_, "losetup",
      "case \"$*\" in *direct-io*) exit 1;; esac; exec " + losetup + " \"$@\"");
  const ProvisionedTarget ready = provision(loop("ext3", 32 * kMiB));
  EXPECT_THAT(ready.devices.front(), StartsWith("loop"));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, AnImageThatExistsIsNeitherUsedNorRemoved) {
  const fs::path image = images_ / "sidegrade-t1.img";
  std::ofstream(image) << "precious";
  EXPECT_THAT([&] { provision(loop("ext3", 8 * kMiB)); },
              ThrowsMessage<base::Error>(HasSubstr("exists already")));
  undo_.unwind();
  EXPECT_TRUE(fs::exists(image));
}

TEST_F(Provision, ADirectoryGetsAFolderThatGoesWithAllInIt) {
  const ProvisionedTarget ready = provision({"here", DirectorySpec{images_}});
  EXPECT_EQ(ready.folder, images_ / "sidegrade-t1");
  std::ofstream(ready.folder / "file") << "x";
  // Told, or absent with a reason where the folder's mount is not seen.
  const host::Fact& type = ready.facts.at("mount.type");
  EXPECT_NE(type.value.empty(), type.absent_because.empty());
  EXPECT_NE(ready.facts.at("filesystem.mkfs_version").absent_because, "");
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_TRUE(fs::exists(images_));
}

TEST_F(Provision, AFolderThatExistsIsNeitherUsedNorRemoved) {
  const fs::path folder = temporary_.folder("images/sidegrade-t1");
  EXPECT_THAT(
      [&] {
        provision({"here", DirectorySpec{images_}});
      },
      ThrowsMessage<base::Error>(HasSubstr("exists already")));
  undo_.unwind();
  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(Provision, AFolderThatItsOwnerCannotReachIsAnError) {
  if (!base::running_as_root()) GTEST_SKIP() << "another owner needs root";
  chmod(images_.c_str(), 0700);
  EXPECT_THAT(
      [&] {
        provision({"here", DirectorySpec{images_}});
      },
      ThrowsMessage<base::Error>(
          HasSubstr("nobody may not pass through " + images_.string())));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, AMountThatIsUsedStaysAndTheUserIsNamed) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const ProvisionedTarget ready = provision(loop("ext3", 32 * kMiB));
  const fs::path point = ready.folder.parent_path();
  {
    const base::Child sleeper = base::Child::start(
        {.argv = {"sleep", "60"}, .working_directory = ready.folder});
    EXPECT_THAT([&] { unmount(point, std::chrono::milliseconds(0)); },
                ThrowsMessage<base::Error>(HasSubstr(
                    "sleep (process " + std::to_string(sleeper.pid()) + ")")));
  }
  const fs::path image = images_ / "sidegrade-t1.img";
  EXPECT_THAT([&] { detach_loops(image); },
              ThrowsMessage<base::Error>(HasSubstr("is still mounted at")));
  EXPECT_THAT([&] { actions_.at("file")({image}); },
              ThrowsMessage<base::Error>(HasSubstr("it is attached to")));
  undo_.unwind();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Provision, ADeletedImageIsDetachedAllTheSame) {
  if (const auto reason = test::why_no_loops("ext3"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  provision(loop("ext3", 32 * kMiB));
  const fs::path image = images_ / "sidegrade-t1.img";
  fs::remove(image);
  EXPECT_THAT(loops_of(image), Not(IsEmpty()));
  undo_.unwind();
  EXPECT_THAT(loops_of(image), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace sidegrade::storage
