#include "bench/restore.h"

#include "base/error.h"
#include "host/cgroup.h"
#include "host/processes.h"
#include "storage/target.h"

namespace sidegrade::bench {

base::UndoActions undo_actions() {
  base::UndoActions actions = storage::undo_actions();
  actions["processes"] = [](const std::vector<std::string>& arguments) {
    host::end_processes_in(arguments.at(0));
  };
  actions["cgroup"] = [](const std::vector<std::string>& arguments) {
    host::remove_cgroup(arguments.at(0));
  };
  // Taking a lock and letting it go removes its file, unless another run holds
  // it.
  actions["lock"] = [](const std::vector<std::string>& arguments) {
    if (std::filesystem::exists(arguments.at(0))) {
      base::FileLock::try_acquire(arguments.at(0));
    }
  };
  return actions;
}

std::vector<base::PendingJournal> pending_restores(
    const std::filesystem::path& state) {
  return base::read_journals(state);
}

std::vector<std::string> restore(
    const std::vector<base::PendingJournal>& journals) {
  const base::UndoActions actions = undo_actions();
  std::vector<std::string> problems;
  for (const base::PendingJournal& journal : journals) {
    if (journal.alive) continue;
    try {
      base::fulfil(journal, actions);
    } catch (const base::Error& error) {
      problems.push_back(error.what() + (error.hint().empty()
                                             ? ""
                                             : "\n       " + error.hint()));
    }
  }
  return problems;
}

}  // namespace sidegrade::bench
