#include "postgres/job_pool.h"

#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "postgres/connection.h"
#include "script/copy_source.h"
#include "script/file.h"

namespace sidegrade::postgres {
namespace {

constexpr std::chrono::milliseconds kUntilCancelledAgain{20};

}  // namespace

/// One connection and its thread, to which all belongs but cancel().
class JobPool::Worker {
 public:
  Worker(JobPool& pool, size_t number)
      : pool_(pool), number_(number), thread_([this] { pool_.work(*this); }) {}

  struct Orders {
    std::vector<std::string> settings;  ///< that the connection lacks
    base::Deadline deadline;
  };

  /// How many of the pool's settings the connection has.
  size_t settings() const { return settings_; }
  /// Throws for what the connection does not survive.
  std::vector<StatementError> execute(const JobTask& task,
                                      const Orders& orders);
  ScriptWork take_work() { return std::exchange(work_, {}); }
  /// Makes the server end what it does, from any thread. Without effect on a
  /// statement that it has not received yet.
  void cancel();

 private:
  void connect();
  std::vector<StatementError> try_to_execute(const JobTask& task,
                                             const Orders& orders);
  std::vector<StatementError> execute_setting(const std::string& setting,
                                              const JobTask& task,
                                              const script::File& file);
  std::vector<StatementError> execute_statement(const JobTask& task,
                                                script::File& file);

  JobPool& pool_;
  const size_t number_;
  ScriptWork work_;
  size_t settings_ = 0;
  std::optional<Connection> connection_;
  std::mutex cancel_mutex_;
  std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> cancel_{nullptr,
                                                             PQfreeCancel};
  std::jthread thread_;
};

void JobPool::Worker::connect() {
  connection_.emplace(pool_.options_.endpoint, pool_.options_.database,
                      pool_.interrupt_, work_.messages);
  const std::lock_guard lock(cancel_mutex_);
  cancel_.reset(PQgetCancel(connection_->get()));
}

void JobPool::Worker::cancel() {
  const std::lock_guard lock(cancel_mutex_);
  char error[256];
  if (cancel_) PQcancel(cancel_.get(), error, sizeof error);
}

std::vector<StatementError> JobPool::Worker::execute(const JobTask& task,
                                                     const Orders& orders) {
  try {
    return try_to_execute(task, orders);
  } catch (...) {
    connection_.reset();  // rolls back, so that nobody waits for its locks
    throw;
  }
}

std::vector<StatementError> JobPool::Worker::try_to_execute(
    const JobTask& task, const Orders& orders) {
  if (!connection_) connect();
  connection_->set_deadline(orders.deadline);
  script::File file(task.file);
  std::vector<StatementError> errors;
  for (const std::string& setting : orders.settings) {
    if (errors.empty()) errors = execute_setting(setting, task, file);
  }
  settings_ += orders.settings.size();
  if (errors.empty()) errors = execute_statement(task, file);
  if (!errors.empty() && connection_->broken()) {
    throw ServerLost(errors.front().sentence, errors.front().hint);
  }
  return errors;
}

std::vector<StatementError> JobPool::Worker::execute_setting(
    const std::string& setting, const JobTask& task, const script::File& file) {
  ScriptWork uncounted;
  StatementExecutor executor(*connection_, uncounted, pool_.bytes_sent_);
  return executor.execute({.text = setting.c_str(), .line = task.line}, file,
                          {});
}

std::vector<StatementError> JobPool::Worker::execute_statement(
    const JobTask& task, script::File& file) {
  StatementExecutor executor(*connection_, work_, pool_.bytes_sent_);
  const script::CopyRange rows = task.rows.value_or(script::CopyRange());
  const auto rows_of_task = [&] {
    file.seek(rows.begin, rows.first_line - 1);
    return script::CopySource(file, script::CopySource::End::kRange, rows);
  };
  const double begin = base::monotonic_seconds();
  const base::ResourceUsage before = base::thread_usage();
  std::vector<StatementError> errors = executor.execute(
      {.text = task.statement.c_str(), .line = task.line}, file, rows_of_task);
  work_.jobs.resize(number_ + 1);
  work_.jobs.back() = {.busy_s = base::monotonic_seconds() - begin,
                       .usage = base::thread_usage() - before,
                       .statements = work_.statements};
  return errors;
}

JobPool::JobPool(Options options, const base::Interrupt& interrupt,
                 std::atomic<uint64_t>& bytes_sent)
    : options_(std::move(options)),
      interrupt_(interrupt),
      bytes_sent_(bytes_sent) {}

JobPool::~JobPool() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
  while (queue_.running() > 0) {
    for (const auto& worker : workers_) worker->cancel();
    changed_.wait_for(lock, kUntilCancelledAgain);
  }
}

void JobPool::set_on_error(OnError on_error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  options_.on_error = on_error;
}

void JobPool::set_deadline(base::Deadline deadline) {
  const std::lock_guard lock(mutex_);
  deadline_ = deadline;
}

void JobPool::add_setting(std::string statement) {
  const std::lock_guard lock(mutex_);
  settings_.push_back(std::move(statement));
}

void JobPool::submit(Task task) {
  const std::lock_guard lock(mutex_);
  queue_.add(std::move(task), settings_.size());
  const size_t useful = std::min(static_cast<size_t>(options_.jobs),
                                 queue_.running() + queue_.waiting());
  if (workers_.size() < useful) {
    workers_.push_back(std::make_unique<Worker>(*this, workers_.size()));
  }
  changed_.notify_all();
}

std::vector<StatementError> JobPool::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return queue_.running() == 0 && (stopped() || queue_.waiting() == 0);
  });
  queue_.clear();
  if (failure_) std::rethrow_exception(failure_);
  std::vector<StatementError> errors;
  for (auto& [number, error] : std::exchange(errors_, {})) {
    errors.push_back(std::move(error));
  }
  return errors;
}

ScriptWork JobPool::take_work() {
  const std::lock_guard lock(mutex_);
  return std::exchange(work_, {});
}

bool JobPool::stopped() const {
  return failure_ || (options_.on_error == OnError::kStop && !errors_.empty());
}

/// What a worker's thread does.
void JobPool::work(Worker& worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    JobQueue::Entry* entry = nullptr;
    changed_.wait(lock, [&] {
      if (!ending_ && !stopped()) entry = queue_.take();
      return ending_ || entry != nullptr;
    });
    if (entry == nullptr) return;
    execute(worker, *entry, lock);
    changed_.notify_all();
  }
}

void JobPool::execute(Worker& worker, JobQueue::Entry& entry,
                      std::unique_lock<std::mutex>& lock) {
  const Worker::Orders orders{
      .settings = {settings_.begin() +
                       static_cast<std::ptrdiff_t>(worker.settings()),
                   settings_.begin() +
                       static_cast<std::ptrdiff_t>(entry.settings)},
      .deadline = deadline_};
  std::vector<StatementError> errors;
  std::exception_ptr failure;
  lock.unlock();
  try {
    errors = worker.execute(entry.task, orders);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  for (StatementError& error : errors) {
    errors_.emplace(entry.number, std::move(error));
  }
  if (!failure_) failure_ = failure;
  work_.add(worker.take_work());
  queue_.finish(entry);
}

}  // namespace sidegrade::postgres
