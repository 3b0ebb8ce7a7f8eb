#include <gtest/gtest.h>

#include "storage/target_facts.h"

namespace sidegrade::storage {
namespace {

TEST(ExtFeatures, AreTheWordsBehindTheirLabel) {
  EXPECT_EQ(ext_features("Filesystem revision #:    1 (dynamic)\n"
                         "Filesystem features:      has_journal ext_attr\n"
                         "Journal features:         (none)\n"),
            "has_journal ext_attr");
}

TEST(ExtFeatures, AreEmptyWithoutALabel) {
  EXPECT_EQ(ext_features("oh\n"), "");
}

TEST(XfsFeatures, AreOneLineThatDoesNotNameTheDevice) {
  EXPECT_EQ(xfs_features("meta-data=/dev/loop0    isize=512    agcount=4\n"
                         "         =              crc=1        finobt=1\n"
                         "data     =              bsize=4096   blocks=81920\n"),
            "isize=512 agcount=4 crc=1 finobt=1 data bsize=4096 blocks=81920");
}

TEST(MkfsVersion, OfAMissingToolIsAbsentWithTheReason) {
  const host::Fact fact = mkfs_version("nosuchfs");
  EXPECT_EQ(fact.value, "");
  EXPECT_NE(fact.absent_because.find("mkfs.nosuchfs could not be executed"),
            std::string::npos)
      << fact.absent_because;
}

}  // namespace
}  // namespace sidegrade::storage
