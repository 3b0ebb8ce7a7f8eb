#include "base/undo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <functional>

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
  std::map<uint64_t, UndoEntry, std::greater<>> pending;  // newest first
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
  newest_first.reserve(pending.size());
  for (auto& [number, entry] : pending) {
    newest_first.push_back(std::move(entry));
  }
  return newest_first;
}

/// Whether its run holds it; readers share their lock, so that two of them do
/// not take each other for the run.
bool is_locked(const std::filesystem::path& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

/// A new file, locked while it still has its name: a reader may have had it for
/// a moment, and `sidegrade restore` may have removed it as it was empty.
DurableLines create_locked(const std::filesystem::path& path) {
  for (;;) {
    DurableLines lines = DurableLines::create(path);
    if (flock(lines.fd(), LOCK_EX) != 0) {
      throw_errno(fmt::format("{} could not be locked", path.string()));
    }
    struct stat status {};
    if (fstat(lines.fd(), &status) == 0 && status.st_nlink > 0) return lines;
  }
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
    return UndoJournal(create_locked(path));
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
  std::error_code error;
  const std::filesystem::directory_iterator files(directory, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("{} could not be read: {}", directory.string(),
                            error.message()));
  }
  for (const auto& file : files) {
    const std::filesystem::path& path = file.path();
    if (path.extension() != kExtension) continue;
    try {
      journals.push_back(
          {path, is_locked(path), pending_entries(read_file(path))});
    } catch (const Error&) {
      // A run that ends removes its journal, perhaps between two steps of ours.
      if (std::filesystem::exists(path)) throw;
    }
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
  std::error_code error;
  std::filesystem::remove(journal.path, error);
  if (error) {
    throw Error(fmt::format("{} could not be removed: {}",
                            journal.path.string(), error.message()));
  }
}

}  // namespace sidegrade::base
