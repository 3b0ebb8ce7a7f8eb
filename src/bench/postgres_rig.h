#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/undo.h"
#include "base/user.h"
#include "bench/paths.h"
#include "bench/progress.h"
#include "bench/rig.h"
#include "postgres/installation.h"
#include "scenario/scenario.h"
#include "storage/target.h"
#include "workload/inputs.h"

namespace sidegrade::bench {

/// The real rig: provisions the target, runs a private cluster on it, measures
/// the phases, verifies what was imported, and leaves nothing behind.
class PostgresRig : public Rig {
 public:
  struct Parts {
    const scenario::Scenario& scenario;
    const workload::Inputs& inputs;
    postgres::Installation installation;
    base::User owner;  ///< of the cluster
    std::string run_id;
    Paths paths;
    storage::Provisioner& provisioner;
    base::UndoJournal& journal;
    const base::UndoActions& undo_actions;
    const base::Interrupt& interrupt;
    Progress& progress;
    int trials = 0;  ///< planned in all, for progress
    /// What an earlier run imported from the same files, if any.
    std::vector<store::TableCheck> reference;
  };

  explicit PostgresRig(Parts parts);

  store::Sample measure(const scenario::Trial& trial) override;

 private:
  Parts parts_;
};

}  // namespace sidegrade::bench
