#include "host/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/error.h"
#include "base/file.h"
#include "trees.h"

namespace sidegrade::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

std::string value(const Facts& facts, const std::string& name) {
  const auto fact = facts.find(name);
  if (fact == facts.end()) return "(no such fact)";
  return fact->second.absent_because.empty() ? fact->second.value : "(absent)";
}

std::string reason(const Facts& facts, const std::string& name) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? "(no such fact)" : fact->second.absent_because;
}

TEST(BareMetalFacts, TellTheKernel) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "kernel.release"), "6.1.0-21-amd64");
  EXPECT_EQ(value(facts, "kernel.version"),
            "#1 SMP PREEMPT_DYNAMIC Debian 6.1.90-1 (2024-05-03)");
  EXPECT_EQ(value(facts, "kernel.boot_id"),
            "7d0e1c52-5a0b-4d8e-9a57-3b0f4c1f1f10");
  EXPECT_THAT(value(facts, "kernel.command_line"), StartsWith("BOOT_IMAGE="));
  EXPECT_EQ(value(facts, "kernel.tainted"), "0");
  EXPECT_EQ(value(facts, "kernel.uptime_s"), "86400.25");
  EXPECT_EQ(value(facts, "kernel.config_sha256"),
            base::sha256_of_file(recorded("bare-metal") /
                                 "/boot/config-6.1.0-21-amd64"));
}

TEST(BareMetalFacts, CountACoreForEachSetOfHardwareThreads) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "cpu.model"),
            "Intel(R) Xeon(R) E-2224G CPU @ 3.50GHz");
  EXPECT_EQ(value(facts, "cpu.microcode"), "0xf4");
  EXPECT_EQ(value(facts, "cpu.online"), "0-3");
  EXPECT_EQ(value(facts, "cpu.sockets"), "1");
  EXPECT_EQ(value(facts, "cpu.cores"), "2");
  EXPECT_EQ(value(facts, "cpu.threads_per_core"), "2");
  EXPECT_EQ(value(facts, "cpu.smt"), "on");
}

TEST(BareMetalFacts, TellHowTheCpuIsDriven) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "cpu.governor"), "powersave");
  EXPECT_EQ(value(facts, "cpu.driver"), "intel_pstate");
  EXPECT_EQ(value(facts, "cpu.turbo"), "on");
  EXPECT_EQ(value(facts, "cpu.vulnerability.meltdown"), "Mitigation: PTI");
  EXPECT_EQ(value(facts, "virtualisation.guest"), "no");
  EXPECT_EQ(value(facts, "machine.product"), "Tower 100");
  EXPECT_EQ(value(facts, "clock.source"), "tsc");
  EXPECT_EQ(value(facts, "clock.available"), "tsc hpet acpi_pm");
}

TEST(BareMetalFacts, TellMemoryInBytes) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "memory.total_bytes"), "33554432000");
  EXPECT_EQ(value(facts, "memory.available_bytes"), "30720000000");
  EXPECT_EQ(value(facts, "memory.huge_pages"), "64");
  EXPECT_EQ(value(facts, "memory.huge_pages_free"), "60");
  EXPECT_EQ(value(facts, "memory.thp"), "madvise");
  EXPECT_EQ(value(facts, "numa.nodes"), "0");
}

TEST(SysctlFacts, AreThoseOfMemoryAndTheScheduler) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "sysctl.vm.dirty_ratio"), "20");
  EXPECT_EQ(value(facts, "sysctl.kernel.sched_rt_runtime_us"), "950000");
  EXPECT_FALSE(facts.contains("sysctl.kernel.panic"));
}

TEST(SysctlFacts, KeepOneBlankBetweenNumbers) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_EQ(value(facts, "sysctl.vm.lowmem_reserve_ratio"), "256 256 32 0 0");
}

TEST(SysctlFacts, LeaveOutFilesThatDoSomethingWhenUsed) {
  const Facts facts = collect_facts(recorded("bare-metal"), {});
  EXPECT_FALSE(facts.contains("sysctl.vm.drop_caches"));
}

TEST(VirtualMachineFacts, SayThatItIsAGuest) {
  const Facts facts = collect_facts(recorded("vm"), {});
  EXPECT_EQ(value(facts, "virtualisation.guest"), "yes");
  EXPECT_EQ(value(facts, "machine.vendor"), "QEMU");
  EXPECT_EQ(value(facts, "clock.source"), "kvm-clock");
}

TEST(VirtualMachineFacts, GiveAReasonForWhatIsNotThere) {
  const Facts facts = collect_facts(recorded("vm"), {});
  EXPECT_EQ(reason(facts, "kernel.config_sha256"),
            "neither /boot/config-4.19.0-27-cloud-amd64 nor /proc/config.gz "
            "can be read");
  EXPECT_THAT(reason(facts, "cpu.governor"), HasSubstr("scaling_governor"));
  EXPECT_THAT(reason(facts, "cpu.turbo"), HasSubstr("no_turbo"));
  EXPECT_THAT(reason(facts, "cpu.cores"), HasSubstr("topology"));
  EXPECT_THAT(reason(facts, "cpu.vulnerability"), HasSubstr("vulnerabilities"));
  EXPECT_THAT(reason(facts, "memory.huge_pages"), HasSubstr("HugePages_Total"));
  EXPECT_THAT(reason(facts, "memory.thp"), HasSubstr("No such file"));
  EXPECT_THAT(reason(facts, "pci"), HasSubstr("live machine"));
}

TEST(Preemption, IsWhatTheSchedulerSaysWhereThatCanBeRead) {
  const TemporaryTree tree;
  tree.write("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  tree.write("/proc/cmdline", "preempt=none\n");
  tree.write("/sys/kernel/debug/sched/preempt", "none voluntary full (lazy)\n");
  EXPECT_EQ(value(collect_facts(tree.root(), {}), "kernel.preemption"), "lazy");
}

TEST(Preemption, IsElseTheLastOneOnTheCommandLine) {
  EXPECT_EQ(
      value(collect_facts(recorded("bare-metal"), {}), "kernel.preemption"),
      "voluntary");
}

TEST(Preemption, IsElseWhatTheKernelWasConfiguredFor) {
  const TemporaryTree tree;
  tree.write("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  tree.write("/proc/sys/kernel/osrelease", "6.12.1\n");
  tree.write("/boot/config-6.12.1",
             "CONFIG_PREEMPT_BUILD=y\n# CONFIG_PREEMPT is not set\n"
             "CONFIG_PREEMPT_LAZY=y\n");
  EXPECT_EQ(value(collect_facts(tree.root(), {}), "kernel.preemption"), "lazy");
}

TEST(Preemption, OfADynamicKernelIsNotGuessed) {
  const TemporaryTree tree;
  tree.write("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  EXPECT_THAT(reason(collect_facts(tree.root(), {}), "kernel.preemption"),
              HasSubstr("PREEMPT_DYNAMIC"));
}

TEST(Preemption, IgnoresAnOptionThatTheKernelDoesNotKnow) {
  const TemporaryTree tree;
  tree.write("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n");
  tree.write("/proc/cmdline", "preempt=none\n");
  EXPECT_EQ(value(collect_facts(tree.root(), {}), "kernel.preemption"), "rt");
}

TEST(Facts, OfBlockDevicesCarryTheirNames) {
  const Facts facts = collect_facts(recorded("bare-metal"), {"sdc", "md0"});
  EXPECT_EQ(value(facts, "block.sdc.model"), "SAMSUNG MZ7LH480");
  EXPECT_EQ(value(facts, "block.md0.md.level"), "raid1");
}

TEST(Facts, SayThatABlockDeviceIsNotThere) {
  const Facts facts = collect_facts(recorded("bare-metal"), {"sdz"});
  EXPECT_EQ(reason(facts, "block.sdz"), "there is no block device sdz");
}

TEST(ChangedFacts, AreThoseThatDifferOrCameOrWent) {
  const Facts before = {{"cpu.governor", {"powersave", ""}},
                        {"cpu.smt", {"on", ""}},
                        {"kernel.release", {"6.1.0", ""}},
                        {"numa.nodes", {"0", ""}}};
  const Facts after = {{"clock.source", {"tsc", ""}},
                       {"cpu.governor", {"performance", ""}},
                       {"cpu.smt", {"", "it can't be read"}},
                       {"kernel.release", {"6.1.0", ""}}};
  EXPECT_THAT(
      changed_facts(before, after),
      ElementsAre("clock.source", "cpu.governor", "cpu.smt", "numa.nodes"));
}

TEST(ChangedFacts, AreNotThoseThatChangeByThemselves) {
  const Facts before = {{"kernel.uptime_s", {"1.0", ""}},
                        {"memory.available_bytes", {"100", ""}},
                        {"memory.huge_pages_free", {"5", ""}}};
  const Facts after = {{"kernel.uptime_s", {"2.0", ""}},
                       {"memory.available_bytes", {"90", ""}},
                       {"memory.huge_pages_free", {"4", ""}}};
  EXPECT_THAT(changed_facts(before, after), IsEmpty());
}

TEST(ChangedFacts, DoNotMindHowAbsenceIsWorded) {
  EXPECT_THAT(changed_facts({{"cpu.turbo", {"", "one reason"}}},
                            {{"cpu.turbo", {"", "another"}}}),
              IsEmpty());
}

TEST(BootId, OfAnUnreadableTreeIsAnError) {
  const TemporaryTree tree;
  EXPECT_THROW(boot_id(tree.root()), base::Error);
}

TEST(ThisMachine, HasABootIdThatIsAUuid) {
  const std::regex uuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  EXPECT_TRUE(std::regex_match(boot_id(Root()), uuid));
}

TEST(ThisMachine, HasTheKernelThatUnameTells) {
  EXPECT_EQ(value(collect_facts(Root(), {}), "kernel.release"),
            kernel_release());
  EXPECT_FALSE(host_name().empty());
}

TEST(ThisMachine, HasFactsThatHoldStill) {
  const Facts before = collect_facts(Root(), {});
  EXPECT_THAT(changed_facts(before, collect_facts(Root(), {})), IsEmpty());
}

TEST(ThisMachine, GivesEachFactAValueOrAReason) {
  for (const auto& [name, fact] : collect_facts(Root(), {})) {
    EXPECT_TRUE(fact.absent_because.empty() || fact.value.empty()) << name;
  }
}

TEST(ThisMachine, NamesItsPciDevicesAsLspciDoes) {
  if (!std::filesystem::exists("/sys/bus/pci/devices")) {
    GTEST_SKIP() << "this machine has no PCI bus";
  }
  size_t devices = 0;
  for (const auto& [name, fact] : collect_facts(Root(), {})) {
    if (!name.starts_with("pci.")) continue;
    ++devices;
    EXPECT_THAT(name, MatchesRegex("pci\\.[0-9a-f:]+\\.[0-7]"));
    EXPECT_THAT(fact.value, HasSubstr(": "));
  }
  const std::filesystem::directory_iterator entries("/sys/bus/pci/devices");
  EXPECT_EQ(devices,
            static_cast<size_t>(std::distance(begin(entries), end(entries))));
}

}  // namespace
}  // namespace sidegrade::host
