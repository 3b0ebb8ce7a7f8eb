#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of.h"

namespace sidegrade::base {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Bytes, AreReadInSiAndIecUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes(" 17 B "), 17U);
  EXPECT_EQ(parse_bytes("1kB"), 1000U);
  EXPECT_EQ(parse_bytes("1 KB"), 1000U);
  EXPECT_EQ(parse_bytes("1 KiB"), 1024U);
  EXPECT_EQ(parse_bytes("1 kiB"), 1024U);
  EXPECT_EQ(parse_bytes("512 MiB"), 512U << 20U);
  EXPECT_EQ(parse_bytes("1.5GB"), 1'500'000'000U);
  EXPECT_EQ(parse_bytes("2 GiB"), uint64_t{2} << 30U);
  EXPECT_EQ(parse_bytes("3 TB"), 3'000'000'000'000U);
  EXPECT_EQ(parse_bytes("1 TiB"), uint64_t{1} << 40U);
}

TEST(Bytes, LoseNothingToBinaryFractions) {
  for (uint64_t tenths = 0; tenths < 1000; ++tenths) {
    const std::string number =
        std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
    EXPECT_EQ(parse_bytes(number + " GB"), tenths * 100'000'000) << number;
  }
}

TEST(Bytes, ThatMakeNoSenseAreNamed) {
  const auto error = [](const char* text) {
    return test::error_of([&] { parse_bytes(text); });
  };
  EXPECT_THAT(error("much"),
              AllOf(StartsWith("\"much\" is not a size"), HasSubstr("MiB")));
  EXPECT_THAT(error(""), StartsWith("\"\" is not a size"));
  EXPECT_THAT(error("-1 GB"), StartsWith("\"-1 GB\" is negative"));
  EXPECT_THAT(error("5 gigs"),
              StartsWith("\"5 gigs\" has the unknown unit \"gigs\""));
  EXPECT_THAT(error("5 mb"), StartsWith("\"5 mb\" has the unknown unit"));
  EXPECT_THAT(error("0x10"), StartsWith("\"0x10\" has the unknown unit"));
  EXPECT_THAT(error("1e30"), StartsWith("\"1e30\" is too large"));
  EXPECT_THAT(error("1e999"), StartsWith("\"1e999\" is not a size"));
  EXPECT_THAT(error("inf"), StartsWith("\"inf\" is not a size"));
  EXPECT_THAT(error("nan GB"), StartsWith("\"nan GB\" is not a size"));
}

TEST(Duration, IsReadWithItsUnit) {
  EXPECT_EQ(parse_duration("250 ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("10s"), milliseconds(10'000));
  EXPECT_EQ(parse_duration("1 sec"), milliseconds(1000));
  EXPECT_EQ(parse_duration("2 min"), milliseconds(120'000));
  EXPECT_EQ(parse_duration("1.5h"), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  EXPECT_EQ(parse_duration("1.001 s"), milliseconds(1001));
}

TEST(Duration, ThatMakesNoSenseIsNamed) {
  const auto error = [](const char* text) {
    return test::error_of([&] { parse_duration(text); });
  };
  EXPECT_THAT(error("10"), StartsWith("\"10\" has no unit; a duration"));
  EXPECT_THAT(error("-1s"), StartsWith("\"-1s\" is negative"));
  EXPECT_THAT(error("soon"), StartsWith("\"soon\" is not a duration"));
  EXPECT_THAT(error("3 days"),
              StartsWith("\"3 days\" has the unknown unit \"days\""));
}

TEST(Bytes, ArePrintedWithThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999.4), "999 B");
  EXPECT_EQ(format_bytes(999.5), "1.00 kB");
  EXPECT_EQ(format_bytes(1536), "1.54 kB");
  EXPECT_EQ(format_bytes(9'996), "10.0 kB");
  EXPECT_EQ(format_bytes(99'960), "100 kB");
  EXPECT_EQ(format_bytes(999'600), "1.00 MB");
  EXPECT_EQ(format_bytes(4.1e9), "4.10 GB");
  EXPECT_EQ(format_bytes(2.5e16), "25.0 PB");
  EXPECT_EQ(format_bytes(2.5e18), "2500 PB");
}

TEST(Duration, IsPrintedForPeople) {
  EXPECT_EQ(format_duration(0), "0.00 s");
  EXPECT_EQ(format_duration(0.214), "0.21 s");
  EXPECT_EQ(format_duration(9.994), "9.99 s");
  EXPECT_EQ(format_duration(9.996), "10.0 s");
  EXPECT_EQ(format_duration(43), "43.0 s");
  EXPECT_EQ(format_duration(59.96), "1:00");
  EXPECT_EQ(format_duration(761), "12:41");
  EXPECT_EQ(format_duration(3599.6), "1:00:00");
  EXPECT_EQ(format_duration(3723), "1:02:03");
}

}  // namespace
}  // namespace sidegrade::base
