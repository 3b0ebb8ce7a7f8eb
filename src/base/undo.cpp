#include "base/undo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <exception>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::base {
namespace {

constexpr std::string_view kExtension = ".journal";

void undo(const UndoEntry& entry, const UndoActions& actions) {
  const auto action = actions.find(entry.kind);
  if (action == actions.end()) {
    throw Error(fmt::format("this version does not know how to undo \"{}\"",
                            entry.text()),
                "Run the version of sidegrade that wrote the journal.");
  }
  action->second(entry.arguments);
}

/// Runs each step even if one throws; then throws what was thrown first.
class KeepGoing {
 public:
  template <typename Step>
  bool operator()(Step step) {
    try {
      step();
      return true;
    } catch (const std::exception&) {
      if (!first_) first_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

std::vector<UndoEntry> pending_entries(const std::string& text) {
  std::map<uint64_t, UndoEntry> pending;
  std::vector<std::string> lines = split(text, '\n');
  lines.pop_back();  // what stands behind the last newline is torn, or empty
  for (const std::string& line : lines) {
    std::vector<std::string> words = split(line, ' ');
    if (words.size() < 2) continue;
    const uint64_t number = std::strtoull(words[1].c_str(), nullptr, 10);
    if (words[0] == "done") {
      pending.erase(number);
    } else if (words[0] == "do" && words.size() > 2) {
      UndoEntry entry{words[2], {}};
      std::transform(words.begin() + 3, words.end(),
                     std::back_inserter(entry.arguments), decode_word);
      pending.emplace(number, std::move(entry));
    }
  }
  std::vector<UndoEntry> newest_first;
  for (auto it = pending.rbegin(); it != pending.rend(); ++it) {
    newest_first.push_back(std::move(it->second));
  }
  return newest_first;
}

bool is_locked(const std::filesystem::path& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace

std::string UndoEntry::text() const {
  return kind + (arguments.empty() ? "" : " " + join(arguments, " "));
}

UndoJournal UndoJournal::create(const std::filesystem::path& directory,
                                const std::string& run_id) {
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  const std::filesystem::path path =
      directory / (run_id + std::string(kExtension));
  try {
    UndoJournal journal(DurableLines::create(path));
    flock(journal.lines_.fd(), LOCK_EX | LOCK_NB);
    return journal;
  } catch (const Error& error) {
    throw Error(
        fmt::format("the restore journal can't be kept: {}", error.what()),
        "Name a folder that you may write to with --state-dir.");
  }
}

UndoJournal::~UndoJournal() {
  if (lines_.fd() >= 0 && pending_ == 0) {
    std::error_code ignored;
    std::filesystem::remove(lines_.path(), ignored);
  }
}

uint64_t UndoJournal::promise(const UndoEntry& entry) {
  std::string line = fmt::format("do {} {}", ++last_, entry.kind);
  for (const std::string& argument : entry.arguments) {
    line += " " + encode_word(argument);
  }
  lines_.append(line);
  ++pending_;
  return last_;
}

void UndoJournal::fulfilled(uint64_t number) {
  lines_.append(fmt::format("done {}", number));
  --pending_;
}

UndoStack::UndoStack(UndoJournal& journal, const UndoActions& actions)
    : journal_(journal), actions_(actions) {}

UndoStack::~UndoStack() {
  try {
    unwind();
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "warning: {}\n         sidegrade restore tries it again.\n",
               error.what());
  }
}

void UndoStack::promise(const UndoEntry& entry) {
  entries_.push_back({journal_.promise(entry), entry});
}

void UndoStack::unwind(size_t depth) {
  KeepGoing attempt;
  while (entries_.size() > depth) {
    const Promised promised = std::move(entries_.back());
    entries_.pop_back();
    attempt([&] {
      undo(promised.entry, actions_);
      journal_.fulfilled(promised.number);
    });
  }
  attempt.rethrow();
}

std::vector<PendingJournal> read_journals(
    const std::filesystem::path& directory) {
  std::vector<PendingJournal> journals;
  std::error_code absent;
  for (const auto& file :
       std::filesystem::directory_iterator(directory, absent)) {
    if (file.path().extension() != kExtension) continue;
    journals.push_back({file.path(), is_locked(file.path()),
                        pending_entries(read_file(file.path()))});
  }
  std::sort(journals.begin(), journals.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return journals;
}

void fulfil(const PendingJournal& journal, const UndoActions& actions) {
  KeepGoing attempt;
  for (const UndoEntry& entry : journal.entries) {
    attempt([&] { undo(entry, actions); });
  }
  attempt.rethrow();
  std::filesystem::remove(journal.path);
}

}  // namespace sidegrade::base
