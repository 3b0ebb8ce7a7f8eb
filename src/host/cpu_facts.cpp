#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "host/fact_parts.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

bool is_cpu_name(const std::string& name) {
  return name.starts_with("cpu") && parse_count(name.substr(3));
}

/// Counts of what is online; a core is a set of hardware threads.
void add_topology(const Root& root, Facts& facts) {
  std::set<std::string> cores;
  std::set<std::string> sockets;
  size_t threads = 0;
  for (const std::string& name : names_in(root / kCpuFolder)) {
    if (!is_cpu_name(name)) continue;
    const auto folder = root / kCpuFolder / name / "topology";
    const Fact siblings = read_fact(folder / "thread_siblings_list");
    if (!is_known(siblings)) continue;
    ++threads;
    cores.insert(siblings.value);
    sockets.insert(read_fact(folder / "physical_package_id").value);
  }
  if (threads == 0) {
    const Fact none =
        absent(fmt::format("{}/cpu*/topology can't be read", kCpuFolder));
    facts["cpu.cores"] = facts["cpu.sockets"] = none;
    facts["cpu.threads_per_core"] = none;
    return;
  }
  facts["cpu.cores"] = known(std::to_string(cores.size()));
  facts["cpu.sockets"] = known(std::to_string(sockets.size()));
  facts["cpu.threads_per_core"] =
      known(threads % cores.size() == 0 ? std::to_string(threads / cores.size())
                                        : "mixed");
}

/// What `file` of the frequency policies says: each different text once.
Fact of_frequency_policies(const Root& root, const std::string& file) {
  const auto folder = root / kCpuFolder / "cpufreq";
  std::set<std::string> values;
  for (const std::string& policy : names_in(folder)) {
    const Fact fact = read_fact(folder / policy / file);
    if (is_known(fact)) values.insert(fact.value);
  }
  if (values.empty()) {
    return absent(
        fmt::format("no {}/cpufreq/policy*/{}: no driver scales the "
                    "frequency",
                    kCpuFolder, file));
  }
  return known(base::join({values.begin(), values.end()}, ","));
}

Fact turbo(const Root& root) {
  const Fact off = read_fact(root / kCpuFolder / "intel_pstate/no_turbo");
  if (is_known(off)) return known(off.value == "1" ? "off" : "on");
  const Fact on = read_fact(root / kCpuFolder / "cpufreq/boost");
  if (is_known(on)) return known(on.value == "1" ? "on" : "off");
  return absent(
      fmt::format("neither {0}/intel_pstate/no_turbo nor {0}/cpufreq/boost can "
                  "be read",
                  kCpuFolder));
}

void add_cpuinfo(const Root& root, Facts& facts) {
  const auto cpu = read_keys(root / "/proc/cpuinfo");
  const auto fact_of = [&](const std::string& key) {
    const auto found = cpu.find(key);
    return found == cpu.end()
               ? absent(fmt::format("/proc/cpuinfo has no \"{}\"", key))
               : known(found->second);
  };
  facts["cpu.model"] = fact_of("model name");
  facts["cpu.microcode"] = fact_of("microcode");
  const Fact flags = fact_of("flags");
  facts["cpu.flags_sha256"] = facts["virtualisation.guest"] = flags;
  if (!is_known(flags)) return;
  const auto words = base::split_words(flags.value);
  const bool guest =
      std::find(words.begin(), words.end(), "hypervisor") != words.end();
  facts["cpu.flags_sha256"] = known(base::sha256_of_text(flags.value));
  facts["virtualisation.guest"] = known(guest ? "yes" : "no");
}

void add_vulnerabilities(const Root& root, Facts& facts) {
  const auto folder = root / kCpuFolder / "vulnerabilities";
  const auto names = names_in(folder);
  for (const std::string& name : names) {
    facts["cpu.vulnerability." + name] = read_fact(folder / name);
  }
  if (names.empty()) {
    facts["cpu.vulnerability"] =
        absent(fmt::format("{}/vulnerabilities can't be read", kCpuFolder));
  }
}

}  // namespace

Facts cpu_facts(const Root& root) {
  Facts facts;
  add_cpuinfo(root, facts);
  add_topology(root, facts);
  add_vulnerabilities(root, facts);
  facts["cpu.online"] = read_fact(root / kCpuFolder / "online");
  facts["cpu.smt"] = read_fact(root / kCpuFolder / "smt/control");
  facts["cpu.governor"] = of_frequency_policies(root, "scaling_governor");
  facts["cpu.driver"] = of_frequency_policies(root, "scaling_driver");
  facts["cpu.turbo"] = turbo(root);
  return facts;
}

}  // namespace sidegrade::host
