#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <string>

#include "base/text.h"
#include "host/block.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

using std::filesystem::path;

path sysfs_folder(const Root& root, const BlockDevice& device) {
  const path all = root / "/sys/block";
  if (device.kind != "partition") return all / device.name;
  return all / device.below.at(0) / device.name;
}

Fact size_bytes(const path& folder) {
  constexpr uint64_t kSectorBytes = 512;  // whatever the device's own are
  Fact fact = read_fact(folder / "size");
  if (const auto sectors = parse_count(fact.value)) {
    fact.value = std::to_string(*sectors * kSectorBytes);
  }
  return fact;
}

/// The serial number in a SCSI disk's page 0x80: four bytes of head, then text.
Fact page_80(const path& file) {
  constexpr size_t kHeadBytes = 4;
  Fact fact = read_fact(file);
  if (fact.value.size() <= kHeadBytes) return absent("no serial number");
  fact.value = base::trim(fact.value.substr(kHeadBytes));
  return fact;
}

Fact first_known(const std::string& what, std::initializer_list<Fact> facts) {
  for (const Fact& fact : facts) {
    if (is_known(fact) && !fact.value.empty()) return fact;
  }
  return absent(fmt::format("the device's driver tells no {}", what));
}

/// virtio tells its serial number at the device, NVMe and MMC at the
/// controller, SCSI and ATA in a page of data.
void add_identity(const path& folder, Facts& facts) {
  facts["model"] = first_known("model", {read_fact(folder / "device/model"),
                                         read_fact(folder / "device/name")});
  facts["firmware"] = first_known("firmware revision",
                                  {read_fact(folder / "device/firmware_rev"),
                                   read_fact(folder / "device/rev")});
  facts["serial"] =
      first_known("serial number", {read_fact(folder / "serial"),
                                    read_fact(folder / "device/serial"),
                                    page_80(folder / "device/vpd_pg80")});
  facts["wwn"] = first_known(
      "world-wide name",
      {read_fact(folder / "wwid"), read_fact(folder / "device/wwid")});
}

void add_queue(const path& folder, Facts& facts) {
  const path queue = folder / "queue";
  facts["scheduler"] = selected(read_fact(queue / "scheduler"));
  for (const std::string name :
       {"read_ahead_kb", "nr_requests", "rotational", "write_cache",
        "logical_block_size", "physical_block_size", "wbt_lat_usec"}) {
    facts[name] = read_fact(queue / name);
  }
}

/// The attributes in `group` that there are: not each level of md has all.
void add_group(const path& folder, const std::string& group,
               std::initializer_list<const char*> names, Facts& facts) {
  for (const std::string name : names) {
    const Fact fact = read_fact(folder / group / name);
    if (is_known(fact)) facts[fmt::format("{}.{}", group, name)] = fact;
  }
}

void add_members(const BlockDevice& device, Facts& facts) {
  facts[device.kind + ".members"] = known(base::join(device.below, " "));
}

}  // namespace

Facts device_facts(const Root& root, const BlockDevice& device) {
  const path folder = sysfs_folder(root, device);
  Facts facts = {{"kind", known(device.kind)},
                 {"size_bytes", size_bytes(folder)}};
  if (device.kind == "partition") {
    facts["start_sector"] = read_fact(folder / "start");
    facts["disk"] = known(device.below.at(0));
    return facts;
  }
  add_queue(folder, facts);
  if (device.kind == "disk") add_identity(folder, facts);
  if (device.kind == "md") {
    add_members(device, facts);
    add_group(folder, "md",
              {"level", "raid_disks", "degraded", "sync_action", "chunk_size",
               "metadata_version", "consistency_policy"},
              facts);
  }
  if (device.kind == "dm") {
    add_members(device, facts);
    add_group(folder, "dm", {"name", "uuid"}, facts);
  }
  if (device.kind == "loop") {
    facts["loop.backing_file"] = read_fact(folder / "loop/backing_file");
    facts["loop.direct_io"] = read_fact(folder / "loop/dio");
  }
  return facts;
}

}  // namespace sidegrade::host
