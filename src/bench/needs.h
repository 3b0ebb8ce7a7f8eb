#pragma once

#include "base/warning.h"
#include "postgres/installation.h"
#include "workload/inputs.h"
#include "workload/spec.h"

namespace sidegrade::bench {

/// Holds what the scripts need from outside (roles, extensions, collations)
/// against what a new cluster here has. Throws Error that names each thing that
/// is missing, with file and line; where errors are passed over, these are
/// warnings.
base::Warnings check_needs(const workload::WorkloadSpec& workload,
                           const workload::Inputs& inputs,
                           const postgres::Installation& installation);

}  // namespace sidegrade::bench
