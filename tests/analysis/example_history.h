#pragma once

#include <string>

#include "store/store.h"

namespace sidegrade::analysis {

inline store::Run example_run(const std::string& kernel,
                              const std::string& boot_id,
                              const std::string& started_at) {
  store::Run run;
  run.header.run_id = kernel + "@" + boot_id;
  run.header.host = "lab";
  run.header.kernel = kernel;
  run.header.boot_id = boot_id;
  run.header.started_at = started_at;
  run.header.scenario_name = "quick";
  run.header.scenario_sha256 = "s1";
  run.header.input_sha256 = {{"data", "d1"}};
  return run;
}

inline store::Sample example_sample(const std::string& target, double real_s) {
  store::Sample sample;
  sample.round = 1;
  sample.target = target;
  store::PhaseRecord import;
  import.name = "import";
  import.metrics = {{"real_s", real_s},
                    {"server_user_s", 2 * real_s},
                    { "server_sys_s",
                      real_s }};
  sample.phases = {import};
  return sample;
}

}  // namespace sidegrade::analysis
