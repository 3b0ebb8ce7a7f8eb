#include "workload/archive.h"

#include <gmock/gmock.h>

#include "support/public_scripts.h"
#include "workload/cache_folder.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const base::Interrupt kNever = base::Interrupt::never();

fs::path made_by_pg_dump(const std::string& name) {
  return test::scripts_directory() / "dumps/50-made-pg_dump15" / name;
}

const char* const kCustom = "20-chinook.custom";
const char* const kDirectory = "21-chinook.dir";

class Archives : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(made_by_pg_dump(kCustom))) {
      GTEST_SKIP() << made_by_pg_dump(kCustom) << " is not there";
    }
  }

  std::vector<ArchiveSection> restored(const fs::path& source) const {
    return restore_sections(source, installation_, folder_.cache(), kNever);
  }

  CacheFolder folder_;
  postgres::Installation installation_ = postgres::find_installation("auto");
};

void expect_three_sections(const std::vector<ArchiveSection>& sections) {
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_EQ(sections[0].phase, PhaseKind::kSchema);
  EXPECT_THAT(base::read_file(sections[0].file),
              AllOf(HasSubstr("CREATE TABLE"), Not(HasSubstr("COPY "))));
  EXPECT_EQ(sections[1].phase, PhaseKind::kImport);
  EXPECT_THAT(base::read_file(sections[1].file),
              AllOf(HasSubstr("COPY "), Not(HasSubstr("CREATE TABLE"))));
  EXPECT_EQ(sections[2].phase, PhaseKind::kIndex);
  EXPECT_THAT(base::read_file(sections[2].file),
              AllOf(HasSubstr("FOREIGN KEY"), Not(HasSubstr("COPY "))));
}

TEST_F(Archives, OfTheCustomFormatBecomeThreeSections) {
  ASSERT_TRUE(is_archive(made_by_pg_dump(kCustom)));
  expect_three_sections(restored(made_by_pg_dump(kCustom)));
}

TEST_F(Archives, OfTheDirectoryFormatBecomeThreeSections) {
  ASSERT_TRUE(is_archive(made_by_pg_dump(kDirectory)));
  expect_three_sections(restored(made_by_pg_dump(kDirectory)));
}

TEST_F(Archives, GiveTheSameBytesEachTime) {
  const CacheFolder other;
  const auto first = restored(made_by_pg_dump(kCustom));
  const auto again = restore_sections(made_by_pg_dump(kCustom), installation_,
                                      other.cache(), kNever);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(base::read_file(first[i].file), base::read_file(again[i].file));
    EXPECT_EQ(first[i].file.filename(), again[i].file.filename());
  }
}

TEST_F(Archives, InTheCacheAreUsedAgainUnlessDamaged) {
  const auto sections = restored(made_by_pg_dump(kCustom));
  const std::string schema = base::read_file(sections[0].file);
  const auto earlier =
      fs::last_write_time(sections[1].file) - std::chrono::hours(1);
  fs::last_write_time(sections[1].file, earlier);
  fs::resize_file(sections[0].file, 10);
  restored(made_by_pg_dump(kCustom));
  EXPECT_EQ(base::read_file(sections[0].file), schema);
  EXPECT_EQ(fs::last_write_time(sections[1].file), earlier);
}

TEST_F(Archives, CutShortAreAnErrorWithPgRestoresWords) {
  const fs::path cut = folder_.dir() / "cut.custom";
  fs::copy_file(made_by_pg_dump(kCustom), cut);
  fs::permissions(cut, fs::perms(0644));
  fs::resize_file(cut, fs::file_size(cut) / 2);
  EXPECT_THAT(complaint_of([&] { restored(cut); }),
              AllOf(HasSubstr("cut.custom could not be turned into SQL"),
                    HasSubstr("pg_restore: error: ")));
  EXPECT_THAT(folder_.cached(), IsEmpty());
}

TEST_F(Archives, OfANewerPgDumpAreAnErrorWithPgRestoresWords) {
  std::string bytes = base::read_file(made_by_pg_dump(kCustom));
  bytes.at(6) = 99;  // the minor version of the format, behind "PGDMP" and 1
  const fs::path newer = folder_.dir().file("newer.custom", bytes);
  EXPECT_THAT(complaint_of([&] { restored(newer); }),
              HasSubstr("unsupported version (1.99) in file header"));
  EXPECT_THAT(folder_.cached(), IsEmpty());
}

TEST_F(Archives, WithAMissingFileOfAFolderAreAnError) {
  const fs::path copy = folder_.dir() / "some.dir";
  fs::copy(made_by_pg_dump(kDirectory), copy);
  fs::remove(copy / "3422.dat.gz");
  EXPECT_THAT(complaint_of([&] { restored(copy); }),
              AllOf(HasSubstr("some.dir"), HasSubstr("3422.dat")));
  EXPECT_THAT(folder_.cached(), IsEmpty());
}

TEST(Archive, AScriptOrAFolderOfOtherThingsIsNone) {
  const CacheFolder folder;
  EXPECT_FALSE(is_archive(folder.dir().file("a.custom", "SELECT 1;\n")));
  EXPECT_FALSE(is_archive(folder.dir().file("empty", "")));
  EXPECT_FALSE(is_archive(folder.dir().path()));
}

}  // namespace
}  // namespace sidegrade::workload
