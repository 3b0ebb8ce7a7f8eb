#include "base/user.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/forked.h"

namespace sidegrade::base {
namespace {

using testing::Contains;

TEST(User, RootIsFoundByName) {
  const auto root = find_user("root");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->uid, 0U);
  EXPECT_EQ(root->gid, 0U);
  EXPECT_FALSE(root->home.empty());
}

TEST(User, AnUnknownNameIsNobody) {
  EXPECT_FALSE(find_user("no-such-account").has_value());
  EXPECT_FALSE(find_user("").has_value());
}

TEST(User, TheCurrentOneIsOurEffectiveId) {
  EXPECT_EQ(current_user().uid, geteuid());
  EXPECT_EQ(running_as_root(), geteuid() == 0);
}

TEST(User, AnIdWithoutAnAccountIsItsNumber) {
  if (!running_as_root()) GTEST_SKIP() << "only root can take another id";
  EXPECT_TRUE(test::holds_when_forked([] {
    return seteuid(54321) == 0 && current_user().name == "54321" &&
           current_user().uid == 54321 && !running_as_root();
  }));
}

TEST(User, ItsGroupsHoldThePrimaryOne) {
  const User user = current_user();
  EXPECT_THAT(groups_of(user), Contains(user.gid));
}

TEST(User, WithoutAnAccountHasItsPrimaryGroupOnly) {
  const User stranger{"no-such-account", 54321, 54322, "/"};
  EXPECT_THAT(groups_of(stranger), testing::ElementsAre(54322U));
}

}  // namespace
}  // namespace sidegrade::base
