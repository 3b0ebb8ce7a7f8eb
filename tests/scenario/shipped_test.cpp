#include <gmock/gmock.h>

#include "base/file.h"
#include "scenario/scenario.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;

TEST(ShippedScenarios, LoadAndBeginBySayingWhatTheyExpose) {
  size_t scenarios = 0;
  for (const auto& file :
       fs::directory_iterator(SIDEGRADE_SOURCE_DIR "/scenarios")) {
    ++scenarios;
    EXPECT_THAT(base::read_file(file.path()), testing::StartsWith("# Exposes:"))
        << file.path();
    EXPECT_NO_THROW(load_scenario(file.path(), SIDEGRADE_SOURCE_DIR "/schemas"))
        << file.path();
  }
  EXPECT_GE(scenarios, 2U);
}

}  // namespace
}  // namespace sidegrade::scenario
