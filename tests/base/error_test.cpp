#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/error_of.h"

namespace sidegrade::base {
namespace {

TEST(Error, KeepsItsSentenceAndItsHint) {
  const Error error("/dev/x is in use.", "Name another device.");
  EXPECT_STREQ(error.what(), "/dev/x is in use.");
  EXPECT_EQ(error.hint(), "Name another device.");
}

TEST(Error, OfErrnoEndsInWhatTheSystemSays) {
  EXPECT_EQ(test::error_of([] {
              errno = ENOSPC;
              throw_errno("/mnt/x could not be written", "Make room.");
            }),
            "/mnt/x could not be written: No space left on device\nMake room.");
}

TEST(Error, AnInterruptionIsAKindOfIt) {
  EXPECT_EQ(test::error_of([] { throw Interrupted(); }), "interrupted\n");
}

}  // namespace
}  // namespace sidegrade::base
