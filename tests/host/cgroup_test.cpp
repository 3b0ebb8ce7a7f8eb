#include "host/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "base/process.h"
#include "trees.h"

namespace sidegrade::host {
namespace {

using testing::HasSubstr;

TEST(CgroupPlace, IsTheProcesssOwnGroupBesideVersion1) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo",
             "1 0 0:30 / /cg/memory rw - cgroup cgroup rw,memory\n"
             "2 0 0:31 / /cg/unified rw - cgroup2 cgroup2 rw\n");
  tree.write("/proc/self/cgroup", "4:memory:/other\n0::/user.slice/me\n");
  tree.write("/cg/unified/user.slice/me/cgroup.procs", "1\n");
  const CgroupPlace place = find_cgroup_place(tree.root());
  EXPECT_EQ(place.parent, tree.root() / "/cg/unified/user.slice/me");
  EXPECT_EQ(place.absent_because, "");
}

TEST(CgroupPlace, SaysThatOnlyVersion1IsMounted) {
  EXPECT_EQ(find_cgroup_place(recorded("vm")).absent_because,
            "no cgroup v2 hierarchy is mounted");
}

TEST(CgroupPlace, SaysThatTheProcessIsInNone) {
  EXPECT_EQ(find_cgroup_place(recorded("bare-metal")).absent_because,
            "/proc/self/cgroup names no cgroup v2");
}

TEST(CgroupPlace, NamesTheGroupThatCantBeWritten) {
  const TemporaryTree tree;
  tree.write("/proc/self/mountinfo",
             "2 0 0:31 / /cg rw - cgroup2 cgroup2 rw\n");
  tree.write("/proc/self/cgroup", "0::/gone\n");
  const CgroupPlace place = find_cgroup_place(tree.root());
  EXPECT_TRUE(place.parent.empty());
  EXPECT_THAT(place.absent_because, HasSubstr("/cg/gone can't be written"));
}

TEST(ReadCgroup, TakesFaultsWhereTheyAreCounted) {
  const TemporaryTree tree;
  tree.write("/cpu.stat",
             "usage_usec 3500000\nuser_usec 3000000\nsystem_usec 500000\n");
  EXPECT_EQ(read_cgroup(tree.root().path).major_faults, std::nullopt);
  tree.write("/memory.stat", "anon 4096\npgmajfault 12\n");
  const ServerCounters counters = read_cgroup(tree.root().path);
  EXPECT_DOUBLE_EQ(counters.user_s, 3.0);
  EXPECT_DOUBLE_EQ(counters.sys_s, 0.5);
  EXPECT_EQ(counters.major_faults, 12U);
}

TEST(ReadCgroup, OfATornFileIsAnErrorAndNotZero) {
  const TemporaryTree tree;
  tree.write("/cpu.stat", "usage_usec 3500000\nuser_usec 30");
  EXPECT_THROW(read_cgroup(tree.root().path), base::Error);
}

TEST(RemoveCgroup, DoesNothingIfItIsNotThere) {
  const TemporaryTree tree;
  EXPECT_NO_THROW(remove_cgroup(tree.root() / "/gone"));
}

TEST(RemoveCgroup, NamesWhatItCantRemove) {
  const TemporaryTree tree;
  tree.write("/folder/file", "");
  try {
    remove_cgroup(tree.root() / "/folder");
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/folder can't be removed"));
  }
}

/// A group in this process's place, or none where there is no place.
std::filesystem::path make_group() {
  const CgroupPlace place = find_cgroup_place(Root());
  if (place.parent.empty()) return {};
  const auto group =
      place.parent / ("sidegrade-test-" + std::to_string(getpid()));
  std::filesystem::create_directory(group);
  return group;
}

TEST(Cgroup, CountsWhatAChildBurnsAndIsRemovedWithIt) {
  const auto group = make_group();
  if (group.empty()) {
    GTEST_SKIP() << find_cgroup_place(Root()).absent_because;
  }
  base::Command burn;
  burn.argv = {"sha256sum", "/dev/zero"};
  burn.cgroup = group;
  base::Child child = base::Child::start(burn);
  EXPECT_TRUE(eventually([&] { return read_cgroup(group).user_s >= 0.05; }));
  remove_cgroup(group);
  EXPECT_FALSE(std::filesystem::exists(group));
  const auto status = child.wait(std::chrono::seconds(5));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGKILL);
}

}  // namespace
}  // namespace sidegrade::host
