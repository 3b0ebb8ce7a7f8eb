#include "postgres/job_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sidegrade::postgres {
namespace {

void wait_for(JobQueue::Entry& entry, JobQueue::Entry* earlier) {
  if (earlier == nullptr || earlier == &entry || earlier->ended) return;
  earlier->followers.push_back(&entry);
  ++entry.blockers;
}

}  // namespace

bool JobQueue::Before::operator()(const Entry* one, const Entry* other) const {
  const auto key = [](const Entry& entry, uint64_t weight) {
    return std::tuple(entry.settings, weight, entry.number);
  };
  // The weights are swapped: the heaviest goes first.
  return key(*one, other->task.weight) < key(*other, one->task.weight);
}

bool JobQueue::has_free_tables(const Entry& entry) const {
  return std::none_of(entry.task.tables.begin(), entry.task.tables.end(),
                      [this](const std::string& table) {
                        const auto running = running_on_table_.find(table);
                        return running != running_on_table_.end() &&
                               running->second > 0;
                      });
}

void JobQueue::count_running(const Entry& entry, int by) {
  for (const std::string& table : entry.task.tables) {
    running_on_table_[table] += by;
  }
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
  const auto fewest = waiting_by_settings_.begin();
  const size_t settings = (*ready_.begin())->settings;
  if (fewest->first < settings) return nullptr;
  auto chosen = std::find_if(ready_.begin(), ready_.end(), [&](Entry* entry) {
    return entry->settings == settings && has_free_tables(*entry);
  });
  if (chosen == ready_.end()) chosen = ready_.begin();
  Entry* entry = *chosen;
  if (--fewest->second == 0) waiting_by_settings_.erase(fewest);
  ready_.erase(chosen);
  count_running(*entry, 1);
  ++running_;
  return entry;
}

void JobQueue::finish(Entry& entry) {
  entry.ended = true;
  count_running(entry, -1);
  --running_;
  ++ended_;
  for (Entry* follower : entry.followers) {
    if (--follower->blockers == 0) ready_.insert(follower);
  }
}

}  // namespace sidegrade::postgres
