#include "host/facts.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "host/block.h"
#include "host/fact_parts.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

constexpr std::array<std::string_view, 3> kVolatile = {
    "kernel.uptime_s", "memory.available_bytes", "memory.huge_pages_free"};

Facts named_device_facts(const Root& root, const std::string& name) {
  const auto device = find_device(root, name);
  if (!device) {
    return {{"block." + name, absent("there is no block device " + name)}};
  }
  Facts facts;
  for (auto& [key, fact] : device_facts(root, *device)) {
    facts[fmt::format("block.{}.{}", name, key)] = fact;
  }
  return facts;
}

bool same(const Fact& a, const Fact& b) {
  return is_known(a) == is_known(b) && a.value == b.value;
}

/// The names in `facts` for which `other` has no equal fact.
void add_unequal(const Facts& facts, const Facts& other,
                 std::vector<std::string>& names) {
  for (const auto& [name, fact] : facts) {
    const auto twin = other.find(name);
    if (twin == other.end() || !same(fact, twin->second)) names.push_back(name);
  }
}

utsname system_names() {
  utsname names{};
  uname(&names);
  return names;
}

}  // namespace

Facts collect_facts(const Root& root,
                    const std::vector<std::string>& block_devices) {
  Facts facts;
  for (auto* part :
       {kernel_facts, sysctl_facts, cpu_facts, machine_facts, pci_facts}) {
    facts.merge(part(root));
  }
  for (const std::string& name : block_devices) {
    facts.merge(named_device_facts(root, name));
  }
  return facts;
}

std::vector<std::string> changed_facts(const Facts& before,
                                       const Facts& after) {
  std::vector<std::string> names;
  add_unequal(before, after, names);
  add_unequal(after, before, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string& name) {
    return std::find(kVolatile.begin(), kVolatile.end(), name) !=
           kVolatile.end();
  });
  return names;
}

std::string host_name() { return system_names().nodename; }

std::string kernel_release() { return system_names().release; }

std::string boot_id(const Root& root) {
  return std::string(
      base::trim(base::read_file(root / "/proc/sys/kernel/random/boot_id")));
}

}  // namespace sidegrade::host
