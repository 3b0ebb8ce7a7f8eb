#include "analysis/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/example_history.h"

namespace sidegrade::analysis {
namespace {

using testing::ElementsAre;

class Differences : public testing::Test {
 protected:
  Differences() {
    history_.runs = {example_run("k1", "b1", "1"), example_run("k1", "b2", "2"),
                     example_run("k2", "b3", "3")};
  }
  void fact(const std::string& name, const std::vector<std::string>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      history_.runs[i].header.environment[name].value = values[i];
    }
  }
  std::vector<Difference> found() {
    return differences(select_runs(history_, {}));
  }

  store::History history_;
};

TEST_F(Differences, AreListedWithAValueForEachKernel) {
  fact("cpu.microcode", {"0x2b", "0x2b", "0x2c"});
  fact("cpu.model", {"m", "m", "m"});
  const auto list = found();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].name, "cpu.microcode");
  EXPECT_THAT(list[0].values, ElementsAre("0x2b", "0x2c"));
}

TEST_F(Differences, AValueThatVariedUnderOneKernelIsListedToo) {
  fact("sysctl.vm.swappiness", {"10", "60", "60"});
  const auto list = found();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_THAT(list[0].values, ElementsAre("10 or 60", "60"));
}

TEST_F(Differences, WhatIsTheKernelsOwnOrChangesByItselfIsNotListed) {
  fact("kernel.release", {"k1", "k1", "k2"});
  fact("kernel.boot_id", {"b1", "b2", "b3"});
  fact("kernel.uptime_s", {"1", "2", "3"});
  fact("memory.available_bytes", {"1", "2", "3"});
  fact("kernel.command_line", {"BOOT_IMAGE=/vmlinuz-1 root=/dev/sda1 quiet",
                               "BOOT_IMAGE=/vmlinuz-1 root=/dev/sda1 quiet",
                               "BOOT_IMAGE=/vmlinuz-2 root=/dev/sda1 quiet"});
  EXPECT_TRUE(found().empty());
}

TEST_F(Differences, AnOptionOfTheCommandLineIsListed) {
  fact("kernel.command_line", {"BOOT_IMAGE=/1 quiet", "BOOT_IMAGE=/1 quiet",
                               "BOOT_IMAGE=/2 mitigations=off"});
  ASSERT_EQ(found().size(), 1U);
  EXPECT_THAT(found()[0].values, ElementsAre("quiet", "mitigations=off"));
}

TEST_F(Differences, WhatIsUnknownUnderOneKernelIsNoDifference) {
  fact("cpu.turbo", {"on", "on"});
  history_.runs[2].header.environment["cpu.turbo"].absent_because = "no file";
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace sidegrade::analysis
