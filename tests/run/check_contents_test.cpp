#include "bench/check_contents.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace sidegrade::bench {
namespace {

using store::TableCheck;
using testing::HasSubstr;

const std::vector<TableCheck> kReference = {{"sidegrade.public.a", 2, "11"},
                                            {"sidegrade.public.b", 3, "22"}};

std::string complaint(const std::vector<TableCheck>& tables,
                      const std::map<std::string, int64_t>& rows,
                      const std::vector<TableCheck>& reference) {
  try {
    check_contents(tables, rows, reference);
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

TEST(CheckContents, AcceptsWhatEarlierTrialsHad) {
  EXPECT_EQ(complaint(kReference, {}, kReference), "");
  EXPECT_EQ(complaint(kReference, {{"public.a", 2}}, {}), "");
}

TEST(CheckContents, NamesATableWithOtherRows) {
  auto tables = kReference;
  tables[1].checksum = "23";
  EXPECT_THAT(complaint(tables, {}, kReference),
              HasSubstr("the 3 rows of sidegrade.public.b are not those"));
  tables[1].rows = 4;
  EXPECT_THAT(complaint(tables, {}, kReference),
              HasSubstr("sidegrade.public.b holds 4 rows, in an earlier trial "
                        "it held 3"));
}

TEST(CheckContents, NamesATableThatIsMissingOrNew) {
  EXPECT_THAT(complaint({kReference[0]}, {}, kReference),
              HasSubstr("had the table sidegrade.public.b"));
  auto tables = kReference;
  tables.push_back({"sidegrade.public.c", 0, "0"});
  EXPECT_THAT(complaint(tables, {}, kReference), HasSubstr("3 tables"));
}

TEST(CheckContents, HoldsRowsAgainstWhatWasGenerated) {
  EXPECT_THAT(complaint(kReference, {{"public.a", 5}}, {}),
              HasSubstr("public.a holds 2 rows, 5 were generated"));
  EXPECT_THAT(complaint(kReference, {{"public.z", 1}}, {}),
              HasSubstr("public.z holds 0 rows"));
}

}  // namespace
}  // namespace sidegrade::bench
