#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "storage/machine.h"
#include "storage/target.h"

namespace sidegrade::storage {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kMiB = uint64_t{1} << 20;

auto says(const std::string& sentence, const std::string& next_step) {
  return AllOf(Field(&Obstacle::sentence, HasSubstr(sentence)),
               Field(&Obstacle::next_step, HasSubstr(next_step)));
}

std::vector<Obstacle> of_directory(const std::filesystem::path& path,
                                   const base::User& owner) {
  return obstacles({"here", DirectorySpec{path}}, owner);
}

std::vector<Obstacle> of_loop(const std::string& filesystem, uint64_t bytes,
                              const std::filesystem::path& images) {
  return obstacles(test::loop_target(filesystem, bytes, images),
                   base::current_user());
}

TEST(Obstacles, AFolderOfOnesOwnHasNone) {
  const TemporaryFolder temporary;
  EXPECT_THAT(of_directory(temporary.path(), base::current_user()), IsEmpty());
}

TEST(Obstacles, AMissingFolderIsNamedWithItsTarget) {
  const TemporaryFolder temporary;
  const auto missing = temporary.path() / "missing";
  EXPECT_THAT(of_directory(missing, base::current_user()),
              ElementsAre(says("target \"here\": " + missing.string() +
                                   " can't be used: No such file",
                               "Create it")));
}

TEST(Obstacles, AFileIsNoPlaceForData) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() / "file") << "x";
  EXPECT_THAT(
      of_directory(temporary.path() / "file", base::current_user()),
      ElementsAre(says("is not a directory", "Correct the target's path")));
}

TEST(Obstacles, AParentThatTheOwnerMayNotSearchIsNamed) {
  const TemporaryFolder temporary;
  const auto parent = temporary.folder("closed");
  const auto path = temporary.folder("closed/open");
  chmod(parent.c_str(), 0700);
  const base::User stranger{"stranger", 54321, 54321, "/"};
  EXPECT_THAT(of_directory(path, stranger),
              Contains(says("stranger may not pass through " + parent.string(),
                            "chmod o+x " + parent.string())));
}

TEST(Obstacles, TheOwnersOwnBitsCountBeforeThoseOfOthers) {
  if (!base::running_as_root())
    GTEST_SKIP() << "giving a folder away needs root";
  const TemporaryFolder temporary;
  const auto path = temporary.folder("own");
  const base::User owner = test::ordinary_user();
  ASSERT_EQ(chown(path.c_str(), owner.uid, owner.gid), 0);
  chmod(path.c_str(), 0700);
  EXPECT_THAT(of_directory(path, owner), IsEmpty());
  chmod(path.c_str(), 0077);
  EXPECT_THAT(of_directory(path, owner),
              ElementsAre(says("may not pass through", "chmod")));
}

TEST(Obstacles, AnUnknownFileSystemLacksItsToolAndItsKernel) {
  const TemporaryFolder temporary;
  const auto found = of_loop("nosuchfs", kMiB, temporary.path());
  EXPECT_THAT(found, Contains(says("mkfs.nosuchfs is not installed",
                                   "Install the package")));
  EXPECT_THAT(found, Contains(says("does not know the file system nosuchfs",
                                   "another file system")));
}

TEST(Obstacles, AMissingToolIsNamedWithItsPackage) {
  if (!base::running_as_root()) {
    GTEST_SKIP() << "an ordinary user's tools are looked for in /usr/sbin too";
  }
  const TemporaryFolder temporary;
  const std::string path = std::getenv("PATH");
  setenv("PATH", temporary.path().c_str(), 1);
  const auto found = of_loop("xfs", 300 * kMiB, temporary.path());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(found, Contains(says("mkfs.xfs is not installed",
                                   "apt-get install xfsprogs")));
  EXPECT_THAT(found, Contains(says("losetup is not installed",
                                   "apt-get install mount")));
}

TEST(Obstacles, AnImageBelowTheFileSystemsMinimumIsTooSmall) {
  const TemporaryFolder temporary;
  const auto too_small = says("too small for xfs", "Raise the target's size");
  EXPECT_THAT(of_loop("xfs", 300 * kMiB - 1, temporary.path()),
              Contains(too_small));
  EXPECT_THAT(of_loop("xfs", 300 * kMiB, temporary.path()),
              Not(Contains(too_small)));
}

TEST(Obstacles, AnImageLargerThanItsDiskHasTooLittleRoom) {
  const TemporaryFolder temporary;
  EXPECT_THAT(of_loop("ext3", uint64_t{1} << 60, temporary.path()),
              Contains(says("free, the image needs", "Make room")));
}

TEST(Obstacles, AMissingImageFolderIsNamed) {
  const TemporaryFolder temporary;
  const auto missing = temporary.path() / "missing";
  EXPECT_THAT(of_loop("ext3", 8 * kMiB, missing),
              Contains(says(missing.string() + " is not there", "image_dir")));
}

TEST(Obstacles, OnlyRootMayHaveLoopTargets) {
  if (base::running_as_root()) GTEST_SKIP() << "this is root";
  const TemporaryFolder temporary;
  EXPECT_THAT(of_loop("ext3", 8 * kMiB, temporary.path()),
              Contains(says("only root", "sudo")));
}

TEST(UsableBytes, OfAMissingFolderAreAnError) {
  EXPECT_THROW(usable_bytes({"here", DirectorySpec{"/nowhere/at/all"}}),
               base::Error);
}

}  // namespace
}  // namespace sidegrade::storage
