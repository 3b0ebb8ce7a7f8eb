#include "base/undo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/error_of.h"
#include "base/forked.h"
#include "base/limited_file_size.h"
#include "support/temp_dir.h"

namespace sidegrade::base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Their kinds and arguments, to be compared.
std::vector<std::vector<std::string>> words(
    const std::vector<UndoEntry>& entries) {
  std::vector<std::vector<std::string>> words;
  for (const UndoEntry& entry : entries) {
    words.push_back(entry.arguments);
    words.back().push_back(entry.kind);
  }
  return words;
}

/// Their texts, for short expectations.
std::vector<std::string> texts(const std::vector<UndoEntry>& entries) {
  std::vector<std::string> texts;
  for (const UndoEntry& entry : entries) texts.push_back(entry.text());
  return texts;
}

class Undo : public testing::Test {
 protected:
  UndoJournal journal(const std::string& run_id = "run") {
    return UndoJournal::create(folder_ / "state", run_id);
  }
  std::vector<PendingJournal> journals() {
    return read_journals(folder_ / "state");
  }
  /// What is pending in the only journal.
  std::vector<UndoEntry> pending() { return journals().at(0).entries; }
  /// A journal as a process that no longer lives left it.
  void leave(const std::string& run_id, const std::vector<UndoEntry>& entries) {
    UndoJournal dead = journal(run_id);
    for (const UndoEntry& entry : entries) dead.promise(entry);
  }

  test::TempDir folder_;
  std::vector<std::string> undone_;
  const UndoActions actions_ = {
      {"mount",
       [this](const auto& arguments) {
         undone_.push_back("mount " + arguments.at(0));
       }},
      {"loop",
       [this](const auto& arguments) {
         undone_.push_back("loop " + arguments.at(0));
       }},
      {"stuck",
       [](const auto& arguments) {
         throw Error(arguments.at(0) + " is stuck");
       }},
  };
};

using UndoJournalTest = Undo;
using UndoStackTest = Undo;
using PendingJournals = Undo;
using Fulfil = Undo;

TEST(UndoEntry, IsReadableForPeople) {
  EXPECT_EQ((UndoEntry{"mount", {"/mnt/x"}}).text(), "mount /mnt/x");
  EXPECT_EQ((UndoEntry{"governor", {}}).text(), "governor");
}

TEST_F(UndoJournalTest, HasTheEntryWhenThePromiseReturns) {
  UndoJournal living = journal();
  living.promise({"mount", {"/mnt/x"}});
  EXPECT_THAT(texts(pending()), ElementsAre("mount /mnt/x"));
  living.promise({"loop", {"/img"}});
  EXPECT_THAT(texts(pending()), ElementsAre("loop /img", "mount /mnt/x"));
}

TEST_F(UndoJournalTest, ForgetsWhatIsFulfilled) {
  UndoJournal living = journal();
  const uint64_t mount = living.promise({"mount", {"/mnt/x"}});
  living.promise({"loop", {"/img"}});
  living.fulfilled(mount);
  EXPECT_THAT(texts(pending()), ElementsAre("loop /img"));
}

TEST_F(UndoJournalTest, VanishesWhenNothingIsPending) {
  { journal("idle"); }
  {
    UndoJournal done = journal("done");
    done.fulfilled(done.promise({"mount", {"/mnt/x"}}));
    EXPECT_THAT(journals(), SizeIs(1));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "state"));
}

TEST_F(UndoJournalTest, StaysWhileSomethingIsPending) {
  leave("run", {{"mount", {"/mnt/x"}}});
  EXPECT_THAT(texts(pending()), ElementsAre("mount /mnt/x"));
}

TEST_F(UndoJournalTest, KeepsArgumentsOfAnyKind) {
  const UndoEntry odd{"mount",
                      {"/mnt/my disk", "100%", "%20", "two\nlines", "\t", "",
                       "täglich", "do 7 mount /"}};
  leave("run", {odd});
  ASSERT_THAT(pending(), SizeIs(1));
  EXPECT_EQ(pending()[0].arguments, odd.arguments);
}

TEST_F(UndoJournalTest, OfARunThatExistsIsRefused) {
  const UndoJournal first = journal();
  EXPECT_THAT(test::error_of([&] { journal(); }),
              AllOf(HasSubstr("the restore journal can't be kept"),
                    HasSubstr("run.journal"), HasSubstr("--state-dir")));
}

TEST_F(UndoJournalTest, WhereNoFolderCanBeIsRefused) {
  folder_.file("state", "a file");
  EXPECT_THAT(test::error_of([&] { journal(); }),
              HasSubstr("the restore journal can't be kept"));
}

TEST_F(UndoJournalTest, OnAFullDiskPromisesNothingAndStaysReadable) {
  EXPECT_TRUE(test::holds_when_forked([&] {
    UndoJournal full = journal();
    test::limit_file_size(32);
    full.promise({"mount", {"/mnt/x"}});
    const std::string error = test::error_of([&] {
      full.promise({"loop", {std::string(40, 'x')}});
    });
    full.promise({"loop", {"/i"}});
    return error.find("run.journal") != std::string::npos;
  }));
  EXPECT_THAT(texts(pending()), ElementsAre("loop /i", "mount /mnt/x"));
}

TEST_F(UndoJournalTest, CutAtAnyByteHoldsWhatWasPromisedUntilThere) {
  struct Moment {
    size_t bytes;
    std::vector<std::vector<std::string>> pending;
  };
  std::vector<Moment> moments = {{0, {}}};
  const auto path = folder_ / "state" / "run.journal";
  {
    UndoJournal living = journal();
    const auto note = [&] {
      moments.push_back({read_file(path).size(), words(pending())});
    };
    std::vector<uint64_t> numbers;
    for (const char* place : {"/mnt/a b", "/mnt/100%", "/mnt/c\nd"}) {
      numbers.push_back(living.promise({"mount", {place, "do 1 loop /x"}}));
      note();
    }
    living.fulfilled(numbers[2]);
    note();
    living.fulfilled(numbers[0]);
    note();
  }
  const std::string whole = read_file(path);
  size_t moment = 0;
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    folder_.file("state/run.journal", whole.substr(0, cut));
    if (moment + 1 < moments.size() && cut == moments[moment + 1].bytes) {
      ++moment;
    }
    EXPECT_EQ(words(pending()), moments[moment].pending) << "cut at " << cut;
  }
  EXPECT_EQ(moment, moments.size() - 1);
}

TEST_F(UndoStackTest, UndoesInReverseOrder) {
  UndoJournal living = journal();
  UndoStack stack(living, actions_);
  stack.promise({"loop", {"/img"}});
  stack.promise({"mount", {"/mnt/x"}});
  EXPECT_EQ(stack.depth(), 2U);
  EXPECT_THAT(texts(pending()), ElementsAre("mount /mnt/x", "loop /img"));
  stack.unwind();
  EXPECT_THAT(undone_, ElementsAre("mount /mnt/x", "loop /img"));
  EXPECT_EQ(stack.depth(), 0U);
  EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(UndoStackTest, UndoesDownToADepth) {
  UndoJournal living = journal();
  UndoStack stack(living, actions_);
  stack.promise({"loop", {"/img"}});
  const size_t depth = stack.depth();
  stack.promise({"mount", {"/mnt/x"}});
  stack.unwind(depth);
  EXPECT_THAT(undone_, ElementsAre("mount /mnt/x"));
  EXPECT_THAT(texts(pending()), ElementsAre("loop /img"));
}

TEST_F(UndoStackTest, UndoesItselfAtItsEnd) {
  UndoJournal living = journal();
  {
    UndoStack stack(living, actions_);
    stack.promise({"loop", {"/img"}});
  }
  EXPECT_THAT(undone_, ElementsAre("loop /img"));
  EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(UndoStackTest, TriesTheOthersWhenOneFails) {
  {
    UndoJournal living = journal();
    UndoStack stack(living, actions_);
    stack.promise({"loop", {"/img"}});
    stack.promise({"stuck", {"first"}});
    stack.promise({"stuck", {"second"}});
    stack.promise({"mount", {"/mnt/x"}});
    EXPECT_EQ(test::error_of([&] { stack.unwind(); }), "second is stuck\n");
    EXPECT_THAT(undone_, ElementsAre("mount /mnt/x", "loop /img"));
  }
  EXPECT_THAT(texts(pending()), ElementsAre("stuck second", "stuck first"));
}

TEST_F(UndoStackTest, WarnsOfWhatItCannotUndoAtItsEnd) {
  testing::internal::CaptureStderr();
  {
    UndoJournal living = journal();
    UndoStack stack(living, actions_);
    stack.promise({"stuck", {"/mnt/x"}});
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("warning: /mnt/x is stuck"),
                    HasSubstr("sidegrade restore")));
  EXPECT_THAT(texts(pending()), ElementsAre("stuck /mnt/x"));
}

TEST_F(PendingJournals, AreNoneWithoutTheFolder) {
  EXPECT_THAT(journals(), IsEmpty());
}

TEST_F(PendingJournals, AreAnErrorWhereTheFolderIsNone) {
  folder_.file("state", "a file");
  EXPECT_THAT(test::error_of([&] { journals(); }),
              HasSubstr((folder_ / "state").string()));
}

TEST_F(PendingJournals, ComeOldestFirstAndOtherFilesAreLeftOut) {
  leave("20261130T2", {{"mount", {"/mnt/b"}}});
  leave("20261130T1", {{"mount", {"/mnt/a"}}});
  folder_.file("state/notes.txt", "do 1 mount /mnt/c\n");
  const auto found = journals();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(texts(found[0].entries), ElementsAre("mount /mnt/a"));
  EXPECT_THAT(texts(found[1].entries), ElementsAre("mount /mnt/b"));
}

TEST_F(PendingJournals, LiveAsLongAsTheirProcess) {
  {
    const test::Holder run([&] {
      UndoJournal living = journal();
      living.promise({"mount", {"/mnt/x"}});
      return living;
    });
    ASSERT_TRUE(run.ready());
    ASSERT_THAT(journals(), SizeIs(1));
    EXPECT_TRUE(journals()[0].alive);
  }
  ASSERT_THAT(journals(), SizeIs(1));
  EXPECT_FALSE(journals()[0].alive);
  EXPECT_THAT(texts(pending()), ElementsAre("mount /mnt/x"));
}

TEST_F(PendingJournals, OfUnknownWordsAreNoPromise) {
  std::filesystem::create_directory(folder_ / "state");
  folder_.file("state/run.journal",
               "\n \ndo\ndo 1\ndone\ndone 9\nwhat 2 mount /\n");
  EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(Fulfil, UndoesTheNewestFirstAndRemovesTheJournal) {
  leave("run", {{"loop", {"/img"}}, {"mount", {"/mnt/x"}}});
  fulfil(journals().at(0), actions_);
  EXPECT_THAT(undone_, ElementsAre("mount /mnt/x", "loop /img"));
  EXPECT_THAT(journals(), IsEmpty());
}

TEST_F(Fulfil, KeepsTheJournalWhenOneFailsAndTriesTheOthers) {
  leave("run", {{"loop", {"/img"}}, {"stuck", {"/a"}}, {"mount", {"/mnt/x"}}});
  EXPECT_EQ(test::error_of([&] { fulfil(journals().at(0), actions_); }),
            "/a is stuck\n");
  EXPECT_THAT(undone_, ElementsAre("mount /mnt/x", "loop /img"));
  EXPECT_THAT(journals(), SizeIs(1));
}

TEST_F(Fulfil, DoesNotGuessWhatAnUnknownKindMeans) {
  leave("run", {{"flux", {"/dev/x"}}});
  EXPECT_THAT(test::error_of([&] { fulfil(journals().at(0), actions_); }),
              AllOf(HasSubstr("does not know how to undo \"flux /dev/x\""),
                    HasSubstr("the version of sidegrade that wrote")));
  EXPECT_THAT(texts(pending()), ElementsAre("flux /dev/x"));
}

}  // namespace
}  // namespace sidegrade::base
