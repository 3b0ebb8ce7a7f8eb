#include "bench/needs.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "postgres/missing_needs.h"

namespace sidegrade::bench {

base::Warnings check_needs(const workload::WorkloadSpec& workload,
                           const workload::Inputs& inputs,
                           const postgres::Installation& installation) {
  base::Warnings missing;
  std::vector<std::string> sentences;
  std::vector<std::string> steps;
  for (const postgres::MissingNeed& one :
       postgres::missing_needs(inputs.needs, installation)) {
    if (workload.create_roles && one.need.kind == script::NeedKind::kRole) {
      continue;
    }
    missing.push_back({one.sentence, one.next_step});
    sentences.push_back(one.sentence);
    if (std::find(steps.begin(), steps.end(), one.next_step) == steps.end()) {
      steps.push_back(one.next_step);
    }
  }
  if (missing.empty() || workload.on_error == workload::OnError::kContinue) {
    return missing;
  }
  throw base::Error(base::join(sentences, "\n"), base::join(steps, "\n"));
}

}  // namespace sidegrade::bench
