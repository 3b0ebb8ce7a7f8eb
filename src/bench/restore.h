#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/undo.h"

namespace sidegrade::bench {

/// How everything that a run does to the machine is undone: what storage makes,
/// `processes FOLDER`, `cgroup PATH` and `lock FILE`.
base::UndoActions undo_actions();

/// What interrupted runs left, oldest first; journals of runs that still go on
/// are marked alive.
std::vector<base::PendingJournal> pending_restores(
    const std::filesystem::path& state);

/// Undoes what dead runs left. Returns one line for each thing that could not
/// be undone; empty: all is well.
std::vector<std::string> restore(
    const std::vector<base::PendingJournal>& journals);

}  // namespace sidegrade::bench
