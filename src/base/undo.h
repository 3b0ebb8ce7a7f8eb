#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace sidegrade::base {

/// Something done to the machine that must be undone, in words that a later
/// process understands: `mount /mnt/x`, `directory /mnt/x/sidegrade-1`.
struct UndoEntry {
  std::string kind;
  std::vector<std::string> arguments;

  /// "mount /mnt/x", for people.
  std::string text() const;
};

/// How each kind of entry is undone. An action finds out itself whether there
/// is anything to undo (the entry is written before the deed, so the deed may
/// never have happened) and throws Error if it can't.
using UndoActions =
    std::map<std::string,
             std::function<void(const std::vector<std::string>& arguments)>>;

/// The restore journal of one run: a file in `directory` in which each entry is
/// durable before the deed is done. It is locked while its process lives.
class UndoJournal {
 public:
  /// Creates `directory`/`run_id`.journal. Throws Error if it can't be written.
  static UndoJournal create(const std::filesystem::path& directory,
                            const std::string& run_id);

  UndoJournal(UndoJournal&&) = default;
  UndoJournal& operator=(UndoJournal&&) = delete;
  /// Removes the file if nothing is pending in it.
  ~UndoJournal();

  /// Durable when it returns; the deed comes after. Returns the entry's number.
  /// Throws Error if it could not be written; then nothing is promised.
  uint64_t promise(const UndoEntry& entry);
  void fulfilled(uint64_t number);

 private:
  explicit UndoJournal(DurableLines lines) : lines_(std::move(lines)) {}

  DurableLines lines_;
  uint64_t last_ = 0;
  uint64_t pending_ = 0;
};

/// Deeds to undo in reverse order, each promised in a journal first.
class UndoStack {
 public:
  UndoStack(UndoJournal& journal, const UndoActions& actions);
  UndoStack(const UndoStack&) = delete;
  UndoStack& operator=(const UndoStack&) = delete;
  /// The quiet fallback: unwinds as far as it can. What fails stays pending in
  /// the journal, where `sidegrade restore` finds it.
  ~UndoStack();

  /// Call before the deed.
  void promise(const UndoEntry& entry);
  size_t depth() const { return entries_.size(); }
  /// Undoes the entries above `depth`, newest first. Tries each even if one
  /// fails, then throws the first Error.
  void unwind(size_t depth = 0);

 private:
  struct Promised {
    uint64_t number;
    UndoEntry entry;
  };

  UndoJournal& journal_;
  const UndoActions& actions_;
  std::vector<Promised> entries_;
};

/// What a dead (or living) run's journal still promises, newest first.
struct PendingJournal {
  std::filesystem::path path;
  bool alive = false;  ///< its process still runs: hands off
  std::vector<UndoEntry> entries;
};

/// The journals in `directory`, oldest first; none if it does not exist. A torn
/// last line is passed over: its deed was not yet done. Throws Error if one
/// can't be read.
std::vector<PendingJournal> read_journals(
    const std::filesystem::path& directory);

/// Does what a dead journal promises and removes it. On an Error it stays, and
/// all other entries have been tried.
void fulfil(const PendingJournal& journal, const UndoActions& actions);

}  // namespace sidegrade::base
