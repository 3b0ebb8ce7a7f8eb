#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/interrupt.h"
#include "postgres/cluster.h"
#include "postgres/job_queue.h"
#include "postgres/on_error.h"
#include "postgres/script_work.h"
#include "postgres/statement_executor.h"

namespace sidegrade::postgres {

/// Several connections to one database, each in a thread of its own, that
/// execute independent statements of a script in the order of JobQueue. All
/// members are for one thread.
class JobPool {
 public:
  struct Options {
    Endpoint endpoint;
    std::string database;
    int jobs = 2;
    OnError on_error = OnError::kStop;
  };
  using Task = JobTask;

  /// Connects when tasks come. `interrupt` and `bytes_sent` must outlive it.
  JobPool(Options options, const base::Interrupt& interrupt,
          std::atomic<uint64_t>& bytes_sent);
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  /// Cancels what runs, and forgets what waits.
  ~JobPool();

  /// Of all tasks that begin from now on.
  void set_deadline(base::Deadline deadline);
  void set_on_error(OnError on_error);
  /// A statement that each connection executes before any task submitted later
  /// (SET search_path …); not counted in the work.
  void add_setting(std::string statement);
  void submit(Task task);
  /// Waits until all tasks have ended; their errors, in the order of
  /// submission. With OnError::kStop an error keeps those that wait from
  /// running. Throws what ended a connection, after all others are done:
  /// Interrupted, TimeLimitPassed, ServerLost, Error for a failed connect or a
  /// file that can't be read. From then on nothing is executed any more.
  std::vector<StatementError> wait();
  /// What the tasks that ended did since it was asked last; jobs[i] is
  /// connection number i.
  ScriptWork take_work();

 private:
  class Worker;

  bool stopped() const;
  void work(Worker& worker);
  void execute(Worker& worker, JobQueue::Entry& entry,
               std::unique_lock<std::mutex>& lock);

  Options options_;  ///< on_error under the mutex, the rest never changes
  const base::Interrupt& interrupt_;
  std::atomic<uint64_t>& bytes_sent_;

  std::mutex mutex_;  ///< of all that follows
  std::condition_variable changed_;
  JobQueue queue_;
  std::vector<std::string> settings_;
  base::Deadline deadline_;
  std::multimap<size_t, StatementError> errors_;  ///< by the entry's number
  std::exception_ptr failure_;
  ScriptWork work_;
  bool ending_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace sidegrade::postgres
