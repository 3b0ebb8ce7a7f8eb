#include "postgres/missing_needs.h"

#include <gmock/gmock.h>

#include "support/temp_dir.h"

namespace sidegrade::postgres {
namespace {

using test::TempDir;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The folders of an installation, which has the extensions plpgsql and hstore.
struct Folders {
  Folders() {
    std::filesystem::create_directories(dir / "bin");
    std::filesystem::create_directories(dir / "share/extension");
    dir.file("share/extension/plpgsql.control", "");
    dir.file("share/extension/hstore.control", "");
  }

  TempDir dir;
  Installation installation{.bin_directory = dir / "bin", .version = "15.20"};
};

std::vector<MissingNeed> missing(script::NeedKind kind, const std::string& name,
                                 const std::string& version = "15.20") {
  Folders folders;
  folders.installation.version = version;
  return missing_needs({{.kind = kind, .name = name, .place = "a.sql:7"}},
                       folders.installation);
}

TEST(MissingNeeds, NameARoleAndTheKeyThatMakesIt) {
  const auto found = missing(script::NeedKind::kRole, "webuser");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].need.name, "webuser");
  EXPECT_EQ(found[0].sentence,
            "a.sql:7: role \"webuser\" is not made by the scripts");
  EXPECT_THAT(found[0].next_step, HasSubstr("create_roles: true"));
}

TEST(MissingNeeds, NameAnExtensionAndTheFileThatAPackageMustHold) {
  const auto found = missing(script::NeedKind::kExtension, "no_such");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence,
              HasSubstr("a.sql:7: extension \"no_such\" is not installed"));
  EXPECT_THAT(found[0].sentence, HasSubstr("share/extension/no_such.control"));
  EXPECT_THAT(found[0].next_step, HasSubstr("PostgreSQL 15"));
}

TEST(MissingNeeds, AreNoExtensionsThatAreInstalled) {
  EXPECT_THAT(missing(script::NeedKind::kExtension, "hstore"), IsEmpty());
  EXPECT_THAT(missing(script::NeedKind::kExtension, "plpgsql"), IsEmpty());
}

TEST(MissingNeeds, AreNoExtensionsIfTheirFolderIsNotFound) {
  const Installation nowhere{.bin_directory = "/nonexistent/bin",
                             .version = "999.1"};
  EXPECT_THAT(
      missing_needs({{.kind = script::NeedKind::kExtension, .name = "x"}},
                    nowhere),
      IsEmpty());
}

TEST(MissingNeeds, AreCollationsAndLocalesThatTheSystemLacks) {
  const auto collation = missing(script::NeedKind::kCollation, "xx_XX");
  ASSERT_THAT(collation, SizeIs(1));
  EXPECT_THAT(collation[0].sentence, HasSubstr("collation \"xx_XX\""));
  const auto locale = missing(script::NeedKind::kLocale, "xx_XX.UTF-8");
  ASSERT_THAT(locale, SizeIs(1));
  EXPECT_THAT(locale[0].sentence, HasSubstr("locale \"xx_XX.UTF-8\""));
  EXPECT_THAT(locale[0].next_step, HasSubstr("locales"));
}

TEST(MissingNeeds, AreNoCollationsAndLocalesOfEverySystem) {
  for (const char* name : {"default", "C", "POSIX", "ucs_basic", "de-x-icu"})
    EXPECT_THAT(missing(script::NeedKind::kCollation, name), IsEmpty()) << name;
  for (const char* name : {"", "C", "POSIX"})
    EXPECT_THAT(missing(script::NeedKind::kLocale, name), IsEmpty()) << name;
}

TEST(MissingNeeds, AreCollationsThatALaterVersionBroughtIn) {
  EXPECT_THAT(missing(script::NeedKind::kCollation, "unicode", "15.20"),
              SizeIs(1));
  EXPECT_THAT(missing(script::NeedKind::kCollation, "unicode", "16.1"),
              IsEmpty());
}

TEST(MissingNeeds, AreCollationsSpeltAsNoListOfLocalesDoes) {
  EXPECT_THAT(missing(script::NeedKind::kCollation, "C.UTF-8"), SizeIs(1));
  EXPECT_THAT(missing(script::NeedKind::kLocale, "C.UTF-8"), IsEmpty());
}

}  // namespace
}  // namespace sidegrade::postgres
