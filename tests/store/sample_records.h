#pragma once

#include "store/record.h"

namespace sidegrade::store {

inline RunHeader example_header() {
  RunHeader header;
  header.run_id = "20261130T163658Z";
  header.host = "db-lab-3";
  header.started_at = "2026-11-30T16:36:58Z";
  header.kernel = "6.1.0-42-amd64";
  header.boot_id = "5a0d9c1e-1111-4222-8333-123456789abc";
  header.tool_version = "0.1.0";
  header.scenario_name = "quickstart";
  header.scenario_text = "name: quickstart\n";
  header.scenario_sha256 = "aa";
  header.input_sha256 = {{"data", "cc"}, {"schema", "bb"}};
  header.environment = {{"cpu.model", {"Example \"CPU\"", ""}},
                        {"cpu.microcode", {"", "/proc/cpuinfo is silent"}}};
  return header;
}

inline Sample example_sample() {
  Sample sample;
  sample.trial = 3;
  sample.round = 2;
  sample.target = "xfs";
  sample.started_at = "2026-11-30T16:40:00Z";
  sample.uptime_s = 1234.5;
  PhaseRecord schema;
  schema.name = "schema";
  schema.metrics = {{"real_s", 0.1}, {"user_s", 1.0 / 3}};
  PhaseRecord import;
  import.name = "import";
  import.metrics = {{"real_s", 90.746}, { "wal_bytes", 16777216 }};
  import.absent = {{ "server_user_s", "no control group v2" }};
  import.devices = {{"loop0",
                     { {"reads", 5},
                       { "writes",
                         7 } }},
                    { "sda",
                      {
                        { "writes",
                          9 }
                      } }};
  sample.phases = {schema, import};
  sample.overhead_s = {{"initdb", 0.75}};
  sample.tables = {{"shop.public.orders", 120, "1f2e"},
                   {"shop.public.log", 3, ""}};
  sample.target_facts = {{"mount.type", {"xfs", ""}}};
  sample.postgres_settings = {{"fsync", "on"}};
  sample.warnings = {"another process writes to sda"};
  return sample;
}

}  // namespace sidegrade::store
