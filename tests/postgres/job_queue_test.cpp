#include "postgres/job_queue.h"

#include <gmock/gmock.h>

namespace sidegrade::postgres {
namespace {

using testing::ElementsAre;

JobTask shared(const std::string& name, std::vector<std::string> tables,
               uint64_t bytes = 0) {
  return {.statement = name,
          .file = "a.sql",
          .line = 1,
          .rows = script::CopyRange{.begin = 0, .end = bytes},
          .tables = std::move(tables),
          .weight = bytes};
}

JobTask exclusive(const std::string& name, std::vector<std::string> tables) {
  JobTask task = shared(name, std::move(tables));
  task.exclusive = true;
  return task;
}

/// All that may run at once, now.
std::vector<JobQueue::Entry*> take_all(JobQueue& queue) {
  std::vector<JobQueue::Entry*> entries;
  while (JobQueue::Entry* entry = queue.take()) entries.push_back(entry);
  return entries;
}

std::vector<std::string> names(const std::vector<JobQueue::Entry*>& entries) {
  std::vector<std::string> all;
  for (const auto* entry : entries) all.push_back(entry->task.statement);
  return all;
}

void finish_all(JobQueue& queue, const std::vector<JobQueue::Entry*>& entries) {
  for (JobQueue::Entry* entry : entries) queue.finish(*entry);
}

TEST(JobQueue, TheHeaviestComesFirstThenTheScriptsOrder) {
  JobQueue queue;
  queue.add(shared("small", {"a"}, 10), 0);
  queue.add(shared("large", {"b"}, 100), 0);
  queue.add(shared("large too", {"c"}, 100), 0);
  EXPECT_THAT(names(take_all(queue)),
              ElementsAre("large", "large too", "small"));
}

TEST(JobQueue, ATableAtWhichNothingRunsHasPrecedence) {
  JobQueue queue;
  queue.add(shared("part 1", {"b"}, 100), 0);
  queue.add(shared("part 2", {"b"}, 100), 0);
  queue.add(shared("small", {"a"}, 10), 0);
  EXPECT_THAT(names(take_all(queue)), ElementsAre("part 1", "small", "part 2"));
}

TEST(JobQueue, AnExclusiveTaskHasItsTablesForItself) {
  JobQueue queue;
  queue.add(shared("index 1", {"t"}), 0);
  queue.add(shared("index 2", {"t"}), 0);
  queue.add(exclusive("key", {"t"}), 0);
  queue.add(shared("index 3", {"t"}, 1000), 0);
  queue.add(exclusive("key of another", {"u"}), 0);
  auto running = take_all(queue);
  EXPECT_THAT(names(running),
              ElementsAre("index 1", "key of another", "index 2"));
  queue.finish(*running[0]);
  EXPECT_EQ(queue.take(), nullptr);
  queue.finish(*running[2]);
  running = take_all(queue);
  EXPECT_THAT(names(running), ElementsAre("key"));
  finish_all(queue, running);
  EXPECT_THAT(names(take_all(queue)), ElementsAre("index 3"));
}

TEST(JobQueue, KeysInOppositeDirectionsGoOneAfterTheOther) {
  JobQueue queue;
  queue.add(exclusive("a to b", {"a", "b"}), 0);
  queue.add(exclusive("b to a", {"b", "a"}), 0);
  queue.add(exclusive("a to a", {"a", "a"}), 0);
  for (const auto* name : {"a to b", "b to a", "a to a"}) {
    const auto running = take_all(queue);
    EXPECT_THAT(names(running), ElementsAre(name));
    finish_all(queue, running);
  }
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST(JobQueue, NoTaskOvertakesOneWithFewerSettings) {
  JobQueue queue;
  queue.add(exclusive("first", {"t"}), 1);
  queue.add(exclusive("second", {"t"}), 1);
  queue.add(shared("large", {"u"}, 100), 2);
  auto running = take_all(queue);
  EXPECT_THAT(names(running), ElementsAre("first"));
  finish_all(queue, running);
  EXPECT_THAT(names(take_all(queue)), ElementsAre("second", "large"));
}

TEST(JobQueue, CountsWhatRunsAndWhatWaits) {
  JobQueue queue;
  queue.add(shared("one", {"a"}), 0);
  queue.add(exclusive("other", {"a"}), 0);
  JobQueue::Entry* entry = queue.take();
  EXPECT_EQ(queue.running(), 1U);
  EXPECT_EQ(queue.waiting(), 1U);
  queue.finish(*entry);
  EXPECT_EQ(queue.running(), 0U);
  queue.clear();
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_EQ(queue.take(), nullptr);
}

}  // namespace
}  // namespace sidegrade::postgres
