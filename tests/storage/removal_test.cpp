#include "storage/removal.h"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include <fstream>

#include "base/error.h"
#include "storage/machine.h"

namespace sidegrade::storage {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Property;
using testing::ThrowsMessage;

auto refuses(const std::string& reason) {
  return ThrowsMessage<base::Error>(HasSubstr(reason));
}

void write_file(const fs::path& path) { std::ofstream(path) << "precious"; }

TEST(RemoveOwnFolder, TakesAllThatIsInIt) {
  const TemporaryFolder temporary;
  write_file(temporary.folder("sidegrade-1/base/16384") / "2619");
  remove_own_folder(temporary.path() / "sidegrade-1");
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(RemoveOwnFolder, OfAFolderThatIsNotThereIsDone) {
  const TemporaryFolder temporary;
  EXPECT_NO_THROW(remove_own_folder(temporary.path() / "sidegrade-1"));
  EXPECT_NO_THROW(remove_own_folder(temporary.path() / "gone/sidegrade-1"));
}

TEST(RemoveOwnFolder, RefusesANameThatSidegradeDoesNotGive) {
  const TemporaryFolder temporary;
  const fs::path other = temporary.folder("other");
  EXPECT_THAT([&] { remove_own_folder(other); }, refuses("its name"));
  EXPECT_TRUE(fs::exists(other));
}

TEST(RemoveOwnFolder, UnlinksALinkInItAndKeepsWhatItPointsTo) {
  const TemporaryFolder temporary;
  const fs::path precious = temporary.folder("precious");
  write_file(precious / "file");
  fs::create_directory_symlink(precious,
                               temporary.folder("sidegrade-1") / "link");
  remove_own_folder(temporary.path() / "sidegrade-1");
  EXPECT_FALSE(fs::exists(temporary.path() / "sidegrade-1"));
  EXPECT_TRUE(fs::exists(precious / "file"));
}

TEST(RemoveOwnFolder, RefusesALinkPlantedInItsPlace) {
  const TemporaryFolder temporary;
  const fs::path precious = temporary.folder("precious");
  write_file(precious / "file");
  fs::create_directory_symlink(precious, temporary.path() / "sidegrade-1");
  EXPECT_THAT([&] { remove_own_folder(temporary.path() / "sidegrade-1"); },
              refuses("no longer the folder"));
  EXPECT_TRUE(fs::exists(precious / "file"));
}

TEST(RemoveOwnFolder, RefusesALinkPlantedAboveIt) {
  const TemporaryFolder temporary;
  write_file(temporary.folder("precious/sidegrade-1") / "file");
  fs::create_directory_symlink(temporary.path() / "precious",
                               temporary.path() / "mnt");
  EXPECT_THAT([&] { remove_own_folder(temporary.path() / "mnt/sidegrade-1"); },
              refuses("mnt is no plain folder"));
  EXPECT_TRUE(fs::exists(temporary.path() / "precious/sidegrade-1/file"));
}

TEST(RemoveOwnFolder, RefusesWhileAnythingIsMountedBelow) {
  if (!base::running_as_root()) GTEST_SKIP() << "mounts need root";
  const TemporaryFolder temporary;
  write_file(temporary.folder("sidegrade-1") / "own");
  const fs::path point = temporary.folder("sidegrade-1/foreign");
  ASSERT_EQ(mount("none", point.c_str(), "tmpfs", 0, nullptr), 0);
  write_file(point / "file");
  EXPECT_THAT([&] { remove_own_folder(temporary.path() / "sidegrade-1"); },
              refuses(point.string() + " is a mount point"));
  EXPECT_TRUE(fs::exists(point / "file"));
  EXPECT_TRUE(fs::exists(temporary.path() / "sidegrade-1/own"));
  ASSERT_EQ(umount(point.c_str()), 0);
}

TEST(RemoveOwnFile, TakesTheImage) {
  const TemporaryFolder temporary;
  const fs::path image = temporary.path() / "sidegrade-1.img";
  write_file(image);
  remove_own_file(image);
  EXPECT_FALSE(fs::exists(image));
  EXPECT_NO_THROW(remove_own_file(image));
}

TEST(RemoveOwnFile, RefusesWhatIsNoFileOfOurs) {
  const TemporaryFolder temporary;
  const fs::path precious = temporary.path() / "precious";
  write_file(precious);
  fs::create_symlink(precious, temporary.path() / "sidegrade-1.img");
  EXPECT_THAT([&] { remove_own_file(precious); }, refuses("its name"));
  EXPECT_THAT([&] { remove_own_file(temporary.path() / "sidegrade-1.img"); },
              refuses("no longer the file"));
  EXPECT_TRUE(fs::exists(precious));
}

}  // namespace
}  // namespace sidegrade::storage
