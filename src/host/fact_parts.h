#pragma once

#include "host/facts.h"

// The parts that collect_facts puts together; inside src/host only.
namespace sidegrade::host {

/// `kernel.*`.
Facts kernel_facts(const Root& root);
/// `sysctl.vm.*`, `sysctl.kernel.sched*`, named as sysctl(8) does.
Facts sysctl_facts(const Root& root);
/// `cpu.*`, with the mitigations as `cpu.vulnerability.*`.
Facts cpu_facts(const Root& root);
/// `memory.*`, `numa.*`, `clock.*`, `machine.*`, `virtualisation.*`.
Facts machine_facts(const Root& root);
/// `pci.<address>`: class, vendor, device and revision as lspci words them. Of
/// the live machine only.
Facts pci_facts(const Root& root);

}  // namespace sidegrade::host
