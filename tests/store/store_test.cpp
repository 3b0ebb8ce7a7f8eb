#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "base/error.h"
#include "store/format.h"
#include "store/sample_records.h"
#include "support/temp_dir.h"

namespace sidegrade::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Note remark(const std::string& text) {
  Note note;
  note.kind = "remark";
  note.text = text;
  return note;
}

class Store : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  History read(Detail detail = Detail::kEverything) {
    return load(folder_.path(), detail);
  }
  std::string file(const std::string& name) {
    return (folder_.path() / name).string();
  }

  test::TempDir folder_;
};

/// The text of the Error that `act` throws, its hint behind it.
template <typename Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const base::Error& error) {
    return std::string(error.what()) + " " + error.hint();
  }
  return "no error";
}

TEST_F(Store, WhatARunWritesIsLoadedInOrder) {
  RunWriter writer(folder_.path(), example_header());
  writer.append(remark("begun"));
  Sample sample = example_sample();
  for (sample.trial = 1; sample.trial <= 3; ++sample.trial) {
    writer.append(sample);
  }
  EXPECT_EQ(writer.path(), file("db-lab-3/20261130T163658Z.jsonl"));

  const History history = read();
  EXPECT_TRUE(history.warnings.empty());
  ASSERT_EQ(history.runs.size(), 1U);
  const store::Run& run = history.runs[0];
  EXPECT_EQ(run.header.kernel, "6.1.0-42-amd64");
  ASSERT_EQ(run.samples.size(), 3U);
  EXPECT_EQ(run.samples[2].trial, 3);
  EXPECT_EQ(run.notes.at(0).text, "begun");
  EXPECT_FALSE(run.invalidated());
}

TEST_F(Store, ANoteCanInvalidateTheRun) {
  RunWriter writer(folder_.path(), example_header());
  Note note = remark("the governor changed");
  note.invalidates_run = true;
  writer.append(note);
  EXPECT_TRUE(read().runs.at(0).invalidated());
}

TEST_F(Store, RunsComeByStartTimeWhateverTheirFilesAreCalled) {
  RunHeader header = example_header();
  header.run_id = "a";
  header.started_at = "2026-12-02T00:00:00Z";
  RunWriter(folder_.path(), header);
  header.run_id = "b";
  header.started_at = "2026-12-01T00:00:00Z";
  RunWriter(folder_.path(), header);
  const History history = read();
  ASSERT_EQ(history.runs.size(), 2U);
  EXPECT_EQ(history.runs[0].header.run_id, "b");
  EXPECT_EQ(history.runs[1].header.run_id, "a");
}

/// How many of the lines, their newlines not counted, end at or before `cut`.
size_t whole_lines(const std::vector<std::string>& lines, size_t cut) {
  size_t whole = 0;
  for (size_t end = 0; whole < lines.size(); ++whole, ++end) {
    end += lines[whole].size();
    if (end > cut) break;
  }
  return whole;
}

size_t records_in(const History& history) {
  size_t count = 0;
  for (const store::Run& run : history.runs) {
    count += 1 + run.samples.size() + run.notes.size();
  }
  return count;
}

TEST_F(Store, AFileCutAtAnyByteLoadsEveryWholeLineBeforeTheCut) {
  const std::vector<std::string> lines = {
      header_line(example_header()), record_line(example_sample()),
      record_line(remark("between")), record_line(example_sample())};
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (const Detail detail : {Detail::kEverything, Detail::kTimes}) {
    write("run.jsonl", text);
    for (size_t cut = text.size() + 1; cut-- > 0;) {
      std::filesystem::resize_file(file("run.jsonl"), cut);
      const History history = read(detail);
      ASSERT_EQ(records_in(history), whole_lines(lines, cut)) << cut;
      const bool at_line_end =
          cut > 0 && (text[cut - 1] == '\n' || text[cut] == '\n');
      ASSERT_EQ(history.warnings.size(), at_line_end ? 0U : 1U) << cut;
    }
  }
}

TEST_F(Store, ABadLineInTheMiddleIsAWarningWithItsPlace) {
  write("run.jsonl", header_line(example_header()) + "\n{\"rec\x01\n" +
                         record_line(example_sample()) + "\n");
  const History history = read();
  EXPECT_EQ(history.runs.at(0).samples.size(), 1U);
  EXPECT_THAT(history.warnings,
              ElementsAre(AllOf(HasSubstr(file("run.jsonl") + ":2: "),
                                HasSubstr("passed over"))));
}

TEST_F(Store, AFileWithoutAReadableHeaderIsLeftOutWithAWarning) {
  write("a.jsonl", "");
  write("b.jsonl",
        "{\"format\":\"other\"}\n" + record_line(example_sample()) + "\n");
  write("c.jsonl", std::string("\0\0\0\n", 4));
  const History history = read();
  EXPECT_TRUE(history.runs.empty());
  EXPECT_THAT(history.warnings,
              ElementsAre(HasSubstr("a.jsonl:1: the file is empty"),
                          HasSubstr("b.jsonl:1: this is not the header"),
                          HasSubstr("c.jsonl:1: ")));
}

TEST_F(Store, UnknownKindsOfRecordAreOneWarningAKind) {
  write("run.jsonl", header_line(example_header()) +
                         "\n{\"record\":\"weather\"}\n{\"record\":\"weather\"}"
                         "\n" +
                         record_line(example_sample()) + "\n");
  const History history = read();
  EXPECT_EQ(history.runs.at(0).samples.size(), 1U);
  EXPECT_THAT(history.warnings, ElementsAre(HasSubstr(":2: records of kind "
                                                      "\"weather\"")));
}

TEST_F(Store, ANewerFormatIsRefusedByName) {
  write("new.jsonl",
        "{\"format\":\"sidegrade-results\",\"version\":3,\"run\":{}}\n");
  EXPECT_THAT(error_of([&] { read(); }),
              AllOf(HasSubstr(file("new.jsonl")), HasSubstr("version 3"),
                    HasSubstr("newer one")));
}

TEST_F(Store, OtherFilesInTheFolderAreNoResults) {
  write("README.md", "# hello\n");
  write("host/run.jsonl.bak", "x");
  const History history = read();
  EXPECT_TRUE(history.runs.empty());
  EXPECT_TRUE(history.warnings.empty());
}

TEST_F(Store, AFolderThatIsNotThereIsAnError) {
  EXPECT_THAT(error_of([&] { load(folder_.path() / "none"); }),
              AllOf(HasSubstr("/none"), HasSubstr("--results")));
}

TEST_F(Store, AFolderThatCannotBeWrittenIsAnErrorWithANextStep) {
  write("file", "");
  EXPECT_THAT(
      error_of([&] { RunWriter(folder_.path() / "file", example_header()); }),
      AllOf(HasSubstr("file/db-lab-3"), HasSubstr("--results")));
}

TEST_F(Store, AFileThatExistsIsNeverWrittenOver) {
  RunWriter(folder_.path(), example_header());
  EXPECT_THAT(error_of([&] { RunWriter(folder_.path(), example_header()); }),
              HasSubstr("20261130T163658Z.jsonl"));
  EXPECT_EQ(read().runs.size(), 1U);
}

/// A limit on the size of this process's files, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(Store, AWriteThatFailsNamesTheFileAndHarmsNoOtherLine) {
  RunWriter writer(folder_.path(), example_header());
  writer.append(example_sample());
  const auto size = std::filesystem::file_size(writer.path());
  {
    const FileSizeLimit limit(size + 100);
    EXPECT_THAT(error_of([&] { writer.append(example_sample()); }),
                HasSubstr(writer.path().string()));
  }
  writer.append(remark("there is room again"));
  const History history = read();
  EXPECT_EQ(history.runs.at(0).samples.size(), 1U);
  EXPECT_EQ(history.runs.at(0).notes.size(), 1U);
  EXPECT_TRUE(history.warnings.empty());
}

TEST(ShippedResults, TheFiguresOf2004AreAsTheWriterWritesThem) {
  const std::filesystem::path folder =
      SIDEGRADE_SOURCE_DIR "/results/cetra-2004";
  const History history = load(folder);
  EXPECT_TRUE(history.warnings.empty());
  ASSERT_EQ(history.runs.size(), 2U);
  for (const store::Run& run : history.runs) {
    std::string text = header_line(run.header) + '\n';
    ASSERT_TRUE(run.finished());
    for (const Note& note : run.notes) {
      if (note.kind != "run_finished") text += record_line(note) + '\n';
    }
    for (const Sample& sample : run.samples) text += record_line(sample) + '\n';
    text += record_line(run.notes.back()) + '\n';
    EXPECT_EQ(text, base::read_file(run.path));
  }
}

}  // namespace
}  // namespace sidegrade::store
