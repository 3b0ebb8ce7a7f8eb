#include "base/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.h"
#include "base/forked.h"
#include "base/interrupted.h"

namespace sidegrade::base {
namespace {

using std::chrono::milliseconds;
using test::interrupted;

TEST(Interrupt, ThatNeverComesLetsAllPass) {
  const Interrupt interrupt = Interrupt::never();
  EXPECT_FALSE(interrupt.requested());
  EXPECT_EQ(interrupt.fd(), -1);
  EXPECT_NO_THROW(interrupt.check());
  EXPECT_NO_THROW(interrupt.sleep(milliseconds(1)));
}

TEST(Interrupt, IsNotRequestedBeforeTheSignal) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    interrupt.check();
    interrupt.sleep(milliseconds(1));
    return !interrupt.requested();
  }));
}

class InterruptSignal : public testing::TestWithParam<int> {};

TEST_P(InterruptSignal, RequestsItAndItStaysRequested) {
  EXPECT_TRUE(test::holds_when_forked([] {
    const Interrupt interrupt = Interrupt::on_signals();
    std::raise(GetParam());
    return interrupt.requested() && interrupted([&] { interrupt.check(); }) &&
           interrupted([&] { interrupt.sleep(std::chrono::hours(1)); }) &&
           interrupt.requested();
  }));
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptSignal,
                         testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace sidegrade::base
