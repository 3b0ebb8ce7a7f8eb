#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"

namespace sidegrade::store {

/// Numbers by name, the unit in the name: `real_s`, `wal_bytes`, `rows`.
using Metrics = std::map<std::string, double>;

/// What was measured of one phase. A metric is in `metrics` or, with the reason
/// why it could not be measured, in `absent`; never zero for want of a reading.
struct PhaseRecord {
  std::string name;
  Metrics metrics;
  std::map<std::string, std::string> absent;
  /// Per block device under the target: `reads`, `read_bytes`, `writes`,
  /// `written_bytes`, `flushes`. The first one's are in `metrics` too, as
  /// `device_reads` and so on.
  std::map<std::string, Metrics> devices;
};

/// What one table held after the import.
struct TableCheck {
  std::string name;  ///< database.schema.table
  int64_t rows = 0;
  std::string checksum;  ///< independent of row order; empty: a volatile table
};

/// Why a trial is not a result.
struct Failure {
  std::string step;  ///< "provision", "import", "verify" …
  std::string sentence;
  std::string hint;
};

/// The record of one trial: measured values, or the failure with what was
/// measured before it.
struct Sample {
  int trial = 0;  ///< from 1, in order of execution
  int round = 0;  ///< from 1; 0 for a warm-up
  bool warmup = false;
  std::string target;
  std::string started_at;  ///< UTC
  double uptime_s = 0;     ///< of the machine when it began; 0: not known
  std::vector<PhaseRecord> phases;
  Metrics overhead_s;  ///< steps outside the phases: provision, initdb, start …
  std::vector<TableCheck> tables;
  /// Fingerprint of the tables that have a checksum, so that equal imports are
  /// known without reading them; load() fills it. Empty if none was verified.
  std::string tables_sha256;
  host::Facts target_facts;
  std::map<std::string, std::string> postgres_settings;  ///< changed ones
  std::vector<std::string> warnings;
  std::optional<Failure> failure;
  std::string unknown_fields;  ///< JSON object text of fields of a newer writer
};

/// What holds for a whole run; the first line of its file.
struct RunHeader {
  std::string run_id;
  std::string host;
  std::string started_at;  ///< UTC
  std::string kernel;      ///< uname -r
  std::string boot_id;
  std::string tool_version;
  std::string scenario_name;
  std::string scenario_text;
  std::string scenario_sha256;
  std::vector<std::string> targets;  ///< names, as the scenario orders them
  /// Hash of each imported file by its role: "schema", "data".
  std::map<std::string, std::string> input_sha256;
  host::Facts environment;
  std::string unknown_fields;
};

/// Anything else worth keeping: a kernel warning, an environment that changed.
struct Note {
  std::string kind;  ///< "trial_started", "warning", "run_finished" …
  std::string text;
  host::Facts facts;
  /// True: the environment changed during the run; its samples don't count.
  bool invalidates_run = false;
  std::string unknown_fields;
};

}  // namespace sidegrade::store
