#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/error_of.h"
#include "base/forked.h"
#include "base/limited_file_size.h"
#include "support/temp_dir.h"

namespace sidegrade::base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What lies in `folder`, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class File : public testing::Test {
 protected:
  test::TempDir folder_;
};

using AtomicFileTest = File;
using DurableLinesTest = File;
using FileLockTest = File;

TEST_F(File, IsReadWhole) {
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(read_file(folder_.file("empty", "")), "");
  EXPECT_EQ(read_file(folder_.file("binary", std::string("a\0b\n", 4))),
            std::string("a\0b\n", 4));
  EXPECT_TRUE(read_file(folder_.file("large", large)) == large);
}

TEST_F(File, OfTheKernelIsReadThoughItHasNoSize) {
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:"));
}

TEST_F(File, ThatIsMissingIsNamed) {
  const std::string path = (folder_ / "missing").string();
  EXPECT_THAT(test::error_of([&] { read_file(path); }),
              AllOf(HasSubstr(path), HasSubstr("No such file")));
  EXPECT_THAT(test::error_of([&] { sha256_of_file(path); }), HasSubstr(path));
}

TEST_F(File, ThatIsAFolderCannotBeRead) {
  EXPECT_THAT(
      test::error_of([&] { read_file(folder_.path()); }),
      AllOf(HasSubstr(folder_.path().string()), HasSubstr("Is a directory")));
}

TEST_F(File, IsTriedWithoutAnError) {
  EXPECT_EQ(try_read_file(folder_.file("there", "text")), "text");
  EXPECT_EQ(try_read_file(folder_ / "missing"), std::nullopt);
  EXPECT_EQ(try_read_file(folder_.path()), std::nullopt);
}

TEST_F(File, HasTheHashOfItsText) {
  // The two messages of FIPS 180-2's first example, and the empty one.
  EXPECT_EQ(sha256_of_text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of_text(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string large(2'500'000, 'y');
  EXPECT_EQ(sha256_of_file(folder_.file("large", large)),
            sha256_of_text(large));
}

TEST_F(File, AFolderThatIsMissingCannotBeSynced) {
  EXPECT_NO_THROW(sync_directory(folder_.path()));
  EXPECT_NO_THROW(sync_directory(""));
  const std::string missing = (folder_ / "missing").string();
  EXPECT_THAT(test::error_of([&] { sync_directory(missing); }),
              HasSubstr(missing));
}

TEST_F(AtomicFileTest, AppearsWholeWithCommit) {
  const auto path = folder_.file("settings", "old");
  AtomicFile file(path);
  file.write("new ");
  file.write("text");
  EXPECT_EQ(read_file(path), "old");
  file.commit();
  EXPECT_EQ(read_file(path), "new text");
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("settings"));
}

TEST_F(AtomicFileTest, IsDiscardedWithoutCommit) {
  const auto path = folder_.file("settings", "old");
  { AtomicFile(path).write("new"); }
  { AtomicFile(folder_ / "other").write("new"); }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("settings"));
}

TEST_F(AtomicFileTest, LeavesTheOldTextWhenTheDiskIsFull) {
  const auto path = folder_.file("settings", "old");
  EXPECT_TRUE(test::holds_when_forked([&] {
    test::limit_file_size(10);
    const std::string error =
        test::error_of([&] { AtomicFile(path).write(std::string(20, 'x')); });
    return error.find(path.string()) != std::string::npos &&
           error.find("could not be written") != std::string::npos;
  }));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("settings"));
}

TEST_F(AtomicFileTest, ThatCannotBePublishedIsDiscarded) {
  std::filesystem::create_directories(folder_ / "taken" / "inside");
  {
    AtomicFile file(folder_ / "taken");
    file.write("text");
    EXPECT_THAT(test::error_of([&] { file.commit(); }),
                HasSubstr((folder_ / "taken").string()));
  }
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("taken"));
}

TEST_F(AtomicFileTest, InAMissingFolderIsAnError) {
  EXPECT_THAT(test::error_of([&] { AtomicFile(folder_ / "no/file"); }),
              HasSubstr((folder_ / "no/file").string()));
}

TEST_F(DurableLinesTest, GrowALineAtATime) {
  DurableLines lines = DurableLines::create(folder_ / "log");
  lines.append("one");
  EXPECT_EQ(read_file(folder_ / "log"), "one\n");
  lines.append("");
  DurableLines::open(folder_ / "log").append("three");
  EXPECT_EQ(read_file(folder_ / "log"), "one\n\nthree\n");
  EXPECT_EQ(lines.path(), folder_ / "log");
}

TEST_F(DurableLinesTest, AreNeverCreatedOverAFile) {
  const auto path = folder_.file("log", "precious\n");
  EXPECT_THAT(test::error_of([&] { DurableLines::create(path); }),
              AllOf(HasSubstr(path.string()), HasSubstr("File exists")));
  EXPECT_EQ(read_file(path), "precious\n");
}

TEST_F(DurableLinesTest, AreOpenedOnlyIfTheyExist) {
  EXPECT_THAT(test::error_of([&] { DurableLines::open(folder_ / "log"); }),
              HasSubstr("No such file"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(DurableLinesTest, HoldNothingOfALineThatDidNotFit) {
  EXPECT_TRUE(test::holds_when_forked([&] {
    DurableLines lines = DurableLines::create(folder_ / "log");
    test::limit_file_size(20);
    lines.append("0123456789");
    const std::string error =
        test::error_of([&] { lines.append("this is too long"); });
    lines.append("short");
    return error.find((folder_ / "log").string()) != std::string::npos;
  }));
  EXPECT_EQ(read_file(folder_ / "log"), "0123456789\nshort\n");
}

TEST_F(FileLockTest, IsRefusedWhileAnotherProcessHasIt) {
  const auto path = folder_ / "target.lock";
  const test::Holder holder(
      [&] { return FileLock::try_acquire(path).value(); });
  ASSERT_TRUE(holder.ready());
  EXPECT_FALSE(FileLock::try_acquire(path).has_value());
}

TEST_F(FileLockTest, IsRefusedWhileWeHaveItOurselves) {
  const auto path = folder_ / "target.lock";
  const auto lock = FileLock::try_acquire(path);
  ASSERT_TRUE(lock.has_value());
  EXPECT_FALSE(FileLock::try_acquire(path).has_value());
}

TEST_F(FileLockTest, EndsWithAKilledHolder) {
  const auto path = folder_ / "target.lock";
  {
    const test::Holder killed(
        [&] { return FileLock::try_acquire(path).value(); });
    ASSERT_TRUE(killed.ready());
  }
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("target.lock"));
  EXPECT_TRUE(FileLock::try_acquire(path).has_value());
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(FileLockTest, LeavesNoFileAndCanBeTakenAgain) {
  const auto path = folder_ / "target.lock";
  for (int i = 0; i < 3; ++i) {
    const auto lock = FileLock::try_acquire(path);
    ASSERT_TRUE(lock.has_value());
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("target.lock"));
  }
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(FileLockTest, LetsOneInAtATimeWhileItsFileComesAndGoes) {
  const auto path = folder_ / "target.lock";
  std::atomic<int> inside = 0;
  std::atomic<int> crowds = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int attempt = 0; attempt < 10000; ++attempt) {
        const auto lock = FileLock::try_acquire(path);
        if (lock && ++inside != 1) ++crowds;
        std::this_thread::yield();
        if (lock) --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(crowds, 0);
}

TEST_F(FileLockTest, MovesWithItsObject) {
  const auto path = folder_ / "target.lock";
  {
    std::vector<FileLock> locks;
    locks.push_back(FileLock::try_acquire(path).value());
    EXPECT_FALSE(FileLock::try_acquire(path).has_value());
  }
  EXPECT_TRUE(FileLock::try_acquire(path).has_value());
}

TEST_F(FileLockTest, InAMissingFolderIsAnError) {
  EXPECT_THAT(
      test::error_of([&] { FileLock::try_acquire(folder_ / "no/lock"); }),
      HasSubstr((folder_ / "no/lock").string()));
}

}  // namespace
}  // namespace sidegrade::base
