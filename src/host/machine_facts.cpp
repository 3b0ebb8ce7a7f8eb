#include <fmt/format.h>

#include <map>
#include <string>

#include "base/text.h"
#include "host/fact_parts.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

/// The number that /proc/meminfo gives for `key`, times `unit`.
Fact of_meminfo(const std::map<std::string, std::string>& meminfo,
                const std::string& key, uint64_t unit) {
  const auto found = meminfo.find(key);
  const auto words =
      base::split_words(found == meminfo.end() ? std::string() : found->second);
  const auto count = words.empty() ? std::nullopt : parse_count(words.front());
  if (!count) return absent(fmt::format("/proc/meminfo has no \"{}\"", key));
  return known(std::to_string(*count * unit));
}

void add_memory(const Root& root, Facts& facts) {
  constexpr uint64_t kKibibyte = 1024;
  const auto meminfo = read_keys(root / "/proc/meminfo");
  facts["memory.total_bytes"] = of_meminfo(meminfo, "MemTotal", kKibibyte);
  facts["memory.available_bytes"] =
      of_meminfo(meminfo, "MemAvailable", kKibibyte);
  facts["memory.huge_pages"] = of_meminfo(meminfo, "HugePages_Total", 1);
  facts["memory.huge_pages_free"] = of_meminfo(meminfo, "HugePages_Free", 1);
  facts["memory.thp"] =
      selected(read_fact(root / "/sys/kernel/mm/transparent_hugepage/enabled"));
  facts["numa.nodes"] = read_fact(root / "/sys/devices/system/node/online");
}

void add_clock(const Root& root, Facts& facts) {
  const auto folder = root / "/sys/devices/system/clocksource/clocksource0";
  facts["clock.source"] = read_fact(folder / "current_clocksource");
  facts["clock.available"] = read_fact(folder / "available_clocksource");
}

}  // namespace

Facts machine_facts(const Root& root) {
  Facts facts;
  add_memory(root, facts);
  add_clock(root, facts);
  const auto dmi = root / "/sys/class/dmi/id";
  facts["machine.vendor"] = read_fact(dmi / "sys_vendor");
  facts["machine.product"] = read_fact(dmi / "product_name");
  facts["virtualisation.hypervisor"] = read_fact(root / "/sys/hypervisor/type");
  return facts;
}

}  // namespace sidegrade::host
