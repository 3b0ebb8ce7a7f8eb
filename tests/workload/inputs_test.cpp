#include "workload/inputs.h"

#include <gmock/gmock.h>

#include "base/process.h"
#include "support/public_scripts.h"
#include "workload/cache_folder.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

const base::Interrupt kNever = base::Interrupt::never();
const char* const kData =
    "CREATE TABLE t (a int);\nINSERT INTO t VALUES (1);\n";

class PreparedInputs : public testing::Test {
 protected:
  Inputs prepare(const WorkloadSpec& spec) const {
    return prepare_inputs(spec, {}, installation_, folder_.cache(), kNever);
  }
  /// `file` packed by gzip, under a name that does not tell.
  fs::path packed(const fs::path& file) const {
    return folder_.dir().file(
        "packed", base::run_checked({.argv = {"gzip", "-c", file.string()}}));
  }

  CacheFolder folder_;
  postgres::Installation installation_ = postgres::find_installation("auto");
};

std::vector<std::string> roles_of(const Inputs& inputs) {
  std::vector<std::string> roles;
  for (const InputFile& file : inputs.files) roles.push_back(file.role);
  return roles;
}

TEST_F(PreparedInputs, OfPlainFilesAreTheFilesThemselves) {
  const fs::path data = folder_.dir().file("data.sql", kData);
  const Inputs inputs = prepare({.data = {data}});
  ASSERT_THAT(roles_of(inputs), ElementsAre("data"));
  EXPECT_EQ(inputs.files[0].path, data);
  EXPECT_EQ(inputs.files[0].sha256, base::sha256_of_text(kData));
  EXPECT_EQ(inputs.bytes(), std::string(kData).size());
  EXPECT_THAT(folder_.cached(), IsEmpty());
}

TEST_F(PreparedInputs, OfSeveralFilesComeInOrderWithTheirOwnRoles) {
  const fs::path one = folder_.dir().file("one.sql", kData);
  const fs::path two = folder_.dir().file("two.sql", "SELECT 2;\n");
  const Inputs inputs = prepare({.schema = {one, two}, .data = {two, one}});
  EXPECT_THAT(roles_of(inputs),
              ElementsAre("schema", "schema.2", "data", "data.2"));
  EXPECT_EQ(inputs.files[1].path, two);
  EXPECT_EQ(inputs.files[1].phase, PhaseKind::kSchema);
  EXPECT_EQ(inputs.files[2].phase, std::nullopt);
}

TEST_F(PreparedInputs, OfACompressedFileAreItsTextInTheCache) {
  const fs::path source = packed(folder_.dir().file("data.sql", kData));
  const Inputs inputs = prepare({.data = {source}});
  ASSERT_THAT(inputs.files, SizeIs(1));
  EXPECT_EQ(inputs.files[0].source, source);
  EXPECT_EQ(inputs.files[0].sha256, base::sha256_of_text(kData));
  EXPECT_THAT(planned_files(source, installation_, folder_.cache()),
              ElementsAre(inputs.files[0].path));
}

TEST_F(PreparedInputs, OfACompressedArchiveAreItsSections) {
  const fs::path archive =
      test::scripts_directory() / "dumps/50-made-pg_dump15/20-chinook.custom";
  if (!fs::exists(archive)) GTEST_SKIP() << archive << " is not there";
  const fs::path source = packed(archive);
  const Inputs inputs = prepare({.data = {source}});
  EXPECT_THAT(roles_of(inputs),
              ElementsAre("data.pre-data", "data.data", "data.post-data"));
  EXPECT_THAT(planned_files(source, installation_, folder_.cache()),
              ElementsAre(inputs.files[0].path, inputs.files[1].path,
                          inputs.files[2].path));
}

TEST_F(PreparedInputs, OfSeveralFilesCannotBeOneTransactionOfPsql) {
  const fs::path one = folder_.dir().file("one.sql", kData);
  EXPECT_THAT(complaint_of([&] {
                prepare({.data = {one, one},
                         .client = Client::kPsql,
                         .single_transaction = true});
              }),
              HasSubstr("become 2 files, which psql can't execute in a single "
                        "transaction"));
}

TEST_F(PreparedInputs, IncludeTheFilesThatAScriptReads) {
  const fs::path part = folder_.dir().file("part.sql", kData);
  const fs::path data =
      folder_.dir().file("data.sql", "\\i " + part.string() + "\n");
  const Inputs inputs = prepare({.data = {data}});
  EXPECT_THAT(hashes_of(inputs),
              ElementsAre(Pair("data", base::sha256_of_file(data)),
                          Pair("data.file-1", base::sha256_of_text(kData))));
  folder_.dir().file("part.sql", "SELECT 3;\n");
  EXPECT_THAT(complaint_of([&] { check_unchanged(inputs); }),
              HasSubstr("part.sql is no longer the file that the run began "
                        "with"));
}

TEST_F(PreparedInputs, NameWhatTheyNeedFromOutside) {
  const fs::path data = folder_.dir().file(
      "data.sql", std::string(kData) + "ALTER TABLE t OWNER TO webuser;\n");
  const Inputs inputs = prepare({.data = {data}});
  ASSERT_THAT(inputs.needs, SizeIs(1));
  EXPECT_EQ(inputs.needs[0].name, "webuser");
}

TEST_F(PreparedInputs, AreCheckedForChanges) {
  const fs::path data = folder_.dir().file("data.sql", kData);
  const Inputs inputs = prepare({.data = {data}});
  check_unchanged(inputs);
  folder_.dir().file("data.sql", "SELECT 3;\n");
  EXPECT_THAT(complaint_of([&] { check_unchanged(inputs); }),
              HasSubstr("data.sql is no longer the file that the run began "
                        "with"));
}

}  // namespace
}  // namespace sidegrade::workload
