#include "bench/environment.h"

#include "base/version.h"

namespace sidegrade::bench {

host::Facts read_environment(
    const std::vector<std::string>& block_devices,
    const std::optional<postgres::Installation>& installation) {
  host::Facts facts = host::collect_facts({}, block_devices);
  if (installation) {
    facts["postgres.version"].value = installation->version;
    facts["postgres.bin_dir"].value = installation->bin_directory.string();
  } else {
    facts["postgres.version"].absent_because = "no PostgreSQL server was found";
  }
  for (const auto& [name, version] : postgres::client_versions()) {
    facts["client." + name].value = version;
  }
  facts["client.sidegrade"].value = base::tool_version();
  return facts;
}

void add_workload_facts(const workload::WorkloadSpec& workload,
                        host::Facts& facts) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  facts["workload.client"].value =
      workload.client == workload::Client::kPsql ? "psql" : "native";
  facts["workload.pipeline"].value = flag(workload.pipeline);
  facts["workload.single_transaction"].value =
      flag(workload.single_transaction);
  facts["workload.jobs"].value = std::to_string(workload.jobs);
  facts["workload.split_tables"].value = flag(workload.split_tables);
}

}  // namespace sidegrade::bench
