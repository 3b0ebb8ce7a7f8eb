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

}  // namespace sidegrade::bench
