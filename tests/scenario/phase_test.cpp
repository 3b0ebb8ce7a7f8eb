#include <gtest/gtest.h>

#include "workload/spec.h"

namespace sidegrade::workload {
namespace {

TEST(PhaseKind, EachNameLeadsBackToItsPhase) {
  EXPECT_EQ(all_phases().size(), 7U);
  for (const PhaseKind kind : all_phases()) {
    EXPECT_EQ(phase_kind_from(to_string(kind)), kind);
  }
}

TEST(PhaseKind, AnotherNameIsNone) {
  EXPECT_EQ(phase_kind_from("vacuum"), std::nullopt);
  EXPECT_EQ(phase_kind_from(""), std::nullopt);
}

}  // namespace
}  // namespace sidegrade::workload
