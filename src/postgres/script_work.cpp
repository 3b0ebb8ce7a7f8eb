#include "postgres/script_work.h"

namespace sidegrade::postgres {

void ScriptWork::add(const ScriptWork& other) {
  statements += other.statements;
  rows += other.rows;
  copy_bytes += other.copy_bytes;
  script_bytes += other.script_bytes;
  errors += other.errors;
  messages.add(other.messages);
  if (jobs.size() < other.jobs.size()) jobs.resize(other.jobs.size());
  for (size_t i = 0; i < other.jobs.size(); ++i) {
    jobs[i].busy_s += other.jobs[i].busy_s;
    jobs[i].usage = jobs[i].usage + other.jobs[i].usage;
    jobs[i].statements += other.jobs[i].statements;
  }
}

}  // namespace sidegrade::postgres
