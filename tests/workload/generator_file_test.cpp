#include "scenario/generator_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "scenario/scenario.h"
#include "workload/generated.h"

namespace sidegrade::workload {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kCheckout = SIDEGRADE_SOURCE_DIR;

GeneratorSpec shipped(const std::string& schema) {
  return scenario::load_generator(kCheckout / "schemas" / schema /
                                  "generator.yaml");
}

GeneratorSpec every_kind() {
  return scenario::load_generator(kCheckout /
                                  "tests/data/workload/every-kind.yaml");
}

/// What load_generator says about a file of this text, without the folder.
std::string complaint(const std::string& text) {
  std::string folder = std::filesystem::temp_directory_path() / "sgXXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "no temporary folder";
  const auto path = std::filesystem::path(folder) / "generator.yaml";
  std::ofstream(path) << text;
  std::string said = "nothing";
  try {
    scenario::load_generator(path);
  } catch (const scenario::ScenarioError& error) {
    said = error.what();
  }
  std::filesystem::remove_all(folder);
  for (size_t at; (at = said.find(folder + "/")) != std::string::npos;) {
    said.erase(at, folder.size() + 1);
  }
  return said;
}

std::string complaint_about_column(const std::string& column) {
  return complaint(
      "vocabularies: {prose: a b c}\n"
      "tables:\n"
      "  - name: t.one\n"
      "    rows: 1\n"
      "    columns:\n"
      "      value: " +
      column + "\n");
}

/// Keys that refer to a table lie between 1 and its rows.
void expect_references_hold(const GeneratorSpec& spec, double scale) {
  const auto counts = row_counts(spec, scale);
  const auto tables = generated_rows(spec, scale, 1);
  for (const TableSpec& table : spec.tables) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const auto* reference =
          std::get_if<ReferenceKind>(&table.columns[i].kind);
      if (reference == nullptr) continue;
      for (const auto& row : tables.at(table.name)) {
        if (row[i] == "\\N") continue;
        ASSERT_GE(std::stol(row[i]), 1) << table.name;
        ASSERT_LE(std::stol(row[i]), counts.at(reference->table)) << table.name;
      }
    }
  }
}

TEST(GeneratedBytes, OfEveryKindOfColumnAreTheSameOnAnyMachine) {
  EXPECT_EQ(base::sha256_of_text(generated(every_kind(), 1, 1)),
            "23eb196a9ce1f18dcf349e121140e7ac881ae5240a7a15a032aac3712bf7e72d");
  EXPECT_EQ(base::sha256_of_text(generated(every_kind(), 2.5, 77)),
            "7af77c2093c4c6e5433e0fd512a14f5e45216093931550d4807fb42a786fc619");
}

TEST(GeneratedBytes, OfTheShippedSchemasAreTheSameOnAnyMachine) {
  EXPECT_EQ(base::sha256_of_text(generated(shipped("shop"), 0.02, 1)),
            "95ec2574b5dfe60ca0f8e0ae57fe779d6ceff20fc745cec4954b7fe3b6b81e3a");
  EXPECT_EQ(base::sha256_of_text(generated(shipped("pgbench"), 0.02, 1)),
            "f88ccbfa3901f74506682fd3aebda0f49cf897a6d8b2c00859868c7ac9790da6");
}

TEST(ShippedSchemas, HaveTheRowsThatTheyCount) {
  for (const std::string schema : {"shop", "pgbench"}) {
    const GeneratorSpec spec = shipped(schema);
    const auto counts = row_counts(spec, 0.05);
    for (const auto& [table, rows] : generated_rows(spec, 0.05, 3)) {
      EXPECT_EQ(counts.at(table), std::ssize(rows)) << table;
    }
  }
}

TEST(ShippedSchemas, ReferToKeysThatAreThere) {
  expect_references_hold(shipped("shop"), 0.05);
  expect_references_hold(shipped("pgbench"), 0.05);
}

TEST(ShippedSchemas, OfTheShopAreTenMegabytesAUnitOfScale) {
  const auto bytes =
      static_cast<double>(generated(shipped("shop"), 0.1, 1).size());
  EXPECT_NEAR(bytes, 1.1e6, 0.2e6);
}

TEST(ShippedSchemas, OfPgbenchHaveItsOwnNumbers) {
  const auto counts = row_counts(shipped("pgbench"), 3);
  EXPECT_EQ(counts.at("public.pgbench_branches"), 3);
  EXPECT_EQ(counts.at("public.pgbench_tellers"), 30);
  EXPECT_EQ(counts.at("public.pgbench_accounts"), 300000);
  EXPECT_EQ(counts.at("public.pgbench_history"), 0);
}

TEST(GeneratorFile, SaysWhereAnUnknownNameIs) {
  EXPECT_EQ(complaint_about_column("{words: prse, count: 1}"),
            "generator.yaml:6:22: unknown vocabulary \"prse\" — did you mean "
            "\"prose\"?");
  EXPECT_EQ(complaint_about_column("{reference: t.won}"),
            "generator.yaml:6:26: unknown table \"t.won\"; there is "
            "t.one");
  EXPECT_EQ(complaint_about_column("{after: valu, by: 1 s}"),
            "generator.yaml:6:22: unknown column \"valu\" — did you mean "
            "\"value\"?");
  EXPECT_EQ(complaint_about_column("seril"),
            "generator.yaml:6:14: unknown kind of column \"seril\" — did you "
            "mean \"serial\"?");
}

TEST(GeneratorFile, SaysWhereAValueIsWrong) {
  EXPECT_EQ(complaint_about_column("{integer: 1..x}"),
            "generator.yaml:6:24: \"integer\": \"x\" is not a whole number");
  EXPECT_EQ(complaint_about_column("{decimal: 1.0..2.00}"),
            "generator.yaml:6:24: \"decimal\": both ends need as many digits "
            "behind the point");
  EXPECT_EQ(complaint_about_column("{timestamp: 2024-01-01..2024-02-30}"),
            "generator.yaml:6:26: \"timestamp\": \"2024-02-30\" is not a day "
            "such as 2026-11-30");
  EXPECT_EQ(complaint_about_column("{boolean: 101%}"),
            "generator.yaml:6:24: \"boolean\": \"101%\" is not a share such as "
            "25%");
  EXPECT_EQ(complaint_about_column("{integer: 1..2, nulls: 5}"),
            "generator.yaml:6:37: \"nulls\": \"5\" is not a share such as 25%");
}

TEST(GeneratorFile, SaysWhatAColumnLacks) {
  EXPECT_EQ(complaint_about_column("{words: prose}"),
            "generator.yaml:6:14: \"value\" lacks \"count\"");
  EXPECT_THAT(complaint_about_column("{nulls: 5%}"),
              HasSubstr("generator.yaml:6:14: column \"value\" has no kind"));
}

TEST(GeneratorFile, RefusesAnOptionThatTheKindDoesNotHave) {
  EXPECT_EQ(complaint_about_column("{integer: 1..2, skew: 2}"),
            "generator.yaml:6:30: unknown key \"skew\" in \"value\"");
}

TEST(GeneratorFile, RefusesRowsBesideAParent) {
  EXPECT_EQ(complaint("tables:\n"
                      "  - name: t.one\n"
                      "    rows: 1\n"
                      "    columns: {id: serial}\n"
                      "  - name: t.two\n"
                      "    rows: 1\n"
                      "    per: {table: t.one, count: 1..2}\n"
                      "    columns: {id: serial}\n"),
            "generator.yaml:6:5: \"rows\" and \"per\" exclude each other");
}

TEST(GeneratorFile, NamesTheFileOfDataThatCannotBeMade) {
  EXPECT_EQ(complaint_about_column("{pattern: \"{row\"}"),
            "generator.yaml: column value of table t.one has a pattern with a "
            "brace that is not closed");
}

}  // namespace
}  // namespace sidegrade::workload
