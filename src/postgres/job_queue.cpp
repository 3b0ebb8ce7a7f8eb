#include "postgres/job_queue.h"

#include <tuple>
#include <utility>

namespace sidegrade::postgres {
namespace {

uint64_t bytes_of(const JobTask& task) {
  return task.rows ? task.rows->bytes() : 0;
}

void wait_for(JobQueue::Entry& entry, JobQueue::Entry* earlier) {
  if (earlier == nullptr || earlier == &entry || earlier->ended) return;
  earlier->followers.push_back(&entry);
  ++entry.blockers;
}

}  // namespace

bool JobQueue::Before::operator()(const Entry* one, const Entry* other) const {
  const auto key = [](const Entry& entry, uint64_t bytes) {
    return std::tuple(entry.settings, bytes, entry.number);
  };
  // The bytes are swapped: the most go first.
  return key(*one, bytes_of(other->task)) < key(*other, bytes_of(one->task));
}

void JobQueue::wait_for_users(Entry& entry, Users& users) {
  wait_for(entry, users.last_exclusive);
  if (!entry.task.exclusive) {
    users.shared_since.push_back(&entry);
    return;
  }
  for (Entry* shared : users.shared_since) wait_for(entry, shared);
  users = {.last_exclusive = &entry, .shared_since = {}};
}

void JobQueue::add(JobTask task, size_t settings) {
  Entry& entry = entries_.emplace_back();
  entry.task = std::move(task);
  entry.settings = settings;
  entry.number = entries_.size() - 1;
  for (const std::string& table : entry.task.tables) {
    wait_for_users(entry, users_of_table_[table]);
  }
  ++waiting_by_settings_[settings];
  if (entry.blockers == 0) ready_.insert(&entry);
}

JobQueue::Entry* JobQueue::take() {
  if (ready_.empty()) return nullptr;
  Entry* entry = *ready_.begin();
  const auto fewest = waiting_by_settings_.begin();
  if (fewest->first < entry->settings) return nullptr;
  if (--fewest->second == 0) waiting_by_settings_.erase(fewest);
  ready_.erase(ready_.begin());
  ++running_;
  return entry;
}

void JobQueue::finish(Entry& entry) {
  entry.ended = true;
  --running_;
  ++ended_;
  for (Entry* follower : entry.followers) {
    if (--follower->blockers == 0) ready_.insert(follower);
  }
}

}  // namespace sidegrade::postgres
