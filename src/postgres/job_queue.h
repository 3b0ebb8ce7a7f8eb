#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "script/copy_block.h"

namespace sidegrade::postgres {

/// A statement of a script that any of several connections may execute.
struct JobTask {
  std::string statement;
  std::filesystem::path file;  ///< it stands there, and its rows
  int64_t line = 0;
  std::optional<script::CopyRange> rows;  ///< of COPY FROM STDIN
  std::vector<std::string> tables;        ///< that it locks
  bool exclusive = false;  ///< no other statement may work on them meanwhile
  uint64_t weight = 0;     ///< bytes of rows that it works at
};

/// Which task comes next. Tasks that lock the same table, one of them
/// exclusively, go one after the other as they were added, so that they never
/// wait for each other in the server. Of the others the heaviest goes first, so
/// that none of them is left over at the end; then the one that was added
/// first. One on whose tables nothing runs has precedence: two at one table
/// hinder each other even where they may run together.
class JobQueue {
 public:
  struct Entry {
    JobTask task;
    size_t settings = 0;  ///< that were made before it
    size_t number = 0;    ///< in the order of adding, from 0

    bool ended = false;
    int64_t blockers = 0;  ///< earlier tasks that it waits for
    std::vector<Entry*> followers;
  };

  /// `settings` never gets less. A connection can't take settings back, so no
  /// task begins before all that were added under fewer settings have begun.
  void add(JobTask task, size_t settings);
  /// The next task, which then runs; null if none may begin now. It lives until
  /// clear().
  Entry* take();
  void finish(Entry& entry);
  /// Forgets all. Nothing may run.
  void clear() { *this = {}; }

  size_t running() const { return running_; }
  size_t waiting() const { return entries_.size() - ended_ - running_; }

 private:
  struct Before {
    bool operator()(const Entry* one, const Entry* other) const;
  };
  struct Users {
    Entry* last_exclusive = nullptr;
    std::vector<Entry*> shared_since;
  };

  void wait_for_users(Entry& entry, Users& users);
  bool has_free_tables(const Entry& entry) const;
  void count_running(const Entry& entry, int by);

  std::deque<Entry> entries_;  ///< since clear()
  std::map<std::string, Users> users_of_table_;
  std::set<Entry*, Before> ready_;
  std::map<std::string, int> running_on_table_;
  std::map<size_t, size_t> waiting_by_settings_;
  size_t running_ = 0;
  size_t ended_ = 0;
};

}  // namespace sidegrade::postgres
