#include "bench/phase_meter.h"

#include "base/clock.h"
#include "host/cgroup.h"

namespace sidegrade::bench {
namespace {

double difference(uint64_t later, uint64_t earlier) {
  return static_cast<double>(later) - static_cast<double>(earlier);
}

void add_client(store::PhaseRecord& record, const base::ResourceUsage& usage) {
  record.metrics["user_s"] = usage.user_s;
  record.metrics["sys_s"] = usage.sys_s;
  record.metrics["major_faults"] = static_cast<double>(usage.major_faults);
  record.metrics["voluntary_switches"] =
      static_cast<double>(usage.voluntary_switches);
  record.metrics["involuntary_switches"] =
      static_cast<double>(usage.involuntary_switches);
}

store::Metrics device_metrics(const host::DiskCounters& before,
                              const host::DiskCounters& after) {
  store::Metrics metrics = {
      {"reads", difference(after.reads, before.reads)},
      {"read_bytes", difference(after.read_bytes, before.read_bytes)},
      {"writes", difference(after.writes, before.writes)},
      {"written_bytes", difference(after.written_bytes, before.written_bytes)}};
  if (before.flushes && after.flushes) {
    metrics["flushes"] = difference(*after.flushes, *before.flushes);
  }
  return metrics;
}

}  // namespace

PhaseMeter::PhaseMeter(Sources sources)
    : sources_(std::move(sources)), database_(sources_.endpoint, "postgres") {}

void PhaseMeter::read_machine(Reading& reading) const {
  reading.disks = host::read_disk_counters({}, sources_.devices);
  reading.context_switches = host::read_context_switches({});
  const host::ServerCounters tree =
      host::read_process_tree({}, sources_.server);
  reading.server =
      sources_.cgroup.empty() ? tree : host::read_cgroup(sources_.cgroup);
  if (!reading.server.major_faults) {  // its memory controller is off
    reading.server.major_faults = tree.major_faults;
  }
}

/// The server's CPU time is read last before the span and first after it, so
/// that asking for the WAL position is not charged to the phase.
PhaseMeter::Reading PhaseMeter::read_before() {
  Reading reading;
  reading.wal_bytes = database_.wal_position();
  read_machine(reading);
  reading.client = base::thread_usage();
  reading.clock_s = base::monotonic_seconds();
  return reading;
}

PhaseMeter::Reading PhaseMeter::read_after() {
  Reading reading;
  reading.clock_s = base::monotonic_seconds();
  reading.client = base::thread_usage();
  read_machine(reading);
  reading.wal_bytes = database_.wal_position();
  return reading;
}

void PhaseMeter::add_devices(store::PhaseRecord& record, const Reading& before,
                             const Reading& after) const {
  for (const auto& [name, counters] : after.disks) {
    const auto earlier = before.disks.find(name);
    if (earlier == before.disks.end()) continue;
    record.devices[name] = device_metrics(earlier->second, counters);
  }
  for (const char* metric :
       {"reads", "read_bytes", "writes", "written_bytes", "flushes"}) {
    const std::string name = std::string("device_") + metric;
    if (sources_.devices.empty()) {
      record.absent[name] = "no block device is under the target";
      continue;
    }
    const store::Metrics& top = record.devices[sources_.devices.front()];
    const auto value = top.find(metric);
    if (value != top.end()) {
      record.metrics[name] = value->second;
    } else {
      record.absent[name] = "this kernel does not count it";
    }
  }
}

void PhaseMeter::add_server(store::PhaseRecord& record, const Reading& before,
                            const Reading& after) const {
  record.metrics["server_user_s"] = after.server.user_s - before.server.user_s;
  record.metrics["server_sys_s"] = after.server.sys_s - before.server.sys_s;
  if (before.server.major_faults && after.server.major_faults) {
    record.metrics["server_major_faults"] =
        difference(*after.server.major_faults, *before.server.major_faults);
  } else {
    record.absent["server_major_faults"] =
        "neither a control group nor /proc tells them";
  }
}

store::PhaseRecord PhaseMeter::measure(
    const std::string& phase,
    const std::function<workload::PhaseWork()>& work) {
  const Reading before = read_before();
  workload::PhaseWork done = work();
  const Reading after = read_after();

  store::PhaseRecord record{.name = phase,
                            .metrics = std::move(done.metrics),
                            .absent = std::move(done.absent)};
  record.metrics["real_s"] = after.clock_s - before.clock_s;
  add_client(record, done.client.value_or(after.client - before.client));
  add_server(record, before, after);
  add_devices(record, before, after);
  record.metrics["wal_bytes"] = difference(after.wal_bytes, before.wal_bytes);
  if (before.context_switches && after.context_switches) {
    record.metrics["machine_context_switches"] =
        difference(*after.context_switches, *before.context_switches);
  } else {
    record.absent["machine_context_switches"] = "/proc/stat has no ctxt line";
  }
  messages_ = std::move(done.messages);
  return record;
}

}  // namespace sidegrade::bench
