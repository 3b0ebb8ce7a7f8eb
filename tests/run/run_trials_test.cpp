#include <gmock/gmock.h>

#include <csignal>

#include "bench/run.h"
#include "support/temp_dir.h"

namespace sidegrade::bench {
namespace {

using test::TempDir;
using testing::ElementsAre;

class FakeRig : public Rig {
 public:
  store::Sample measure(const scenario::Trial& trial) override {
    store::Sample sample{.trial = trial.number, .target = "t"};
    if (trial.number == 2) sample.failure = store::Failure{"import", "no", ""};
    return sample;
  }
};

std::vector<scenario::Trial> three_trials() {
  return {{.number = 1, .round = 1},
          {.number = 2, .round = 2},
          {.number = 3, .round = 3}};
}

TEST(RunTrials, KeepsEverySampleAndGoesOnAfterAFailure) {
  const TempDir dir;
  store::RunWriter writer(dir.path(), {.run_id = "r", .host = "h"});
  FakeRig rig;
  host::KernelLog log(host::Root{dir.path()});
  const base::Interrupt interrupt = base::Interrupt::never();
  RunOutcome outcome;
  run_trials({rig, writer, log, interrupt}, three_trials(), outcome);
  EXPECT_EQ(outcome.measured, 2);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_FALSE(outcome.interrupted);
  const store::History history = store::load(dir.path());
  ASSERT_EQ(history.runs.size(), 1U);
  EXPECT_EQ(history.runs[0].samples.size(), 3U);
  EXPECT_EQ(history.runs[0].samples[1].failure->step, "import");
}

}  // namespace
}  // namespace sidegrade::bench
