#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "store/record.h"

namespace sidegrade::store {

/// Writes one run's file, `directory`/<host>/<run-id>.jsonl. Each record is one
/// write and one fdatasync; the file is created exclusively and never
/// rewritten.
class RunWriter {
 public:
  /// Creates the file with its header line. Throws Error, with what to do, if
  /// the folder can't be written: call it before anything is measured.
  RunWriter(const std::filesystem::path& directory, const RunHeader& header);

  /// Throw Error naming the file if it can't be written.
  void append(const Sample& sample);
  void append(const Note& note);
  const std::filesystem::path& path() const { return lines_.path(); }

 private:
  base::DurableLines lines_;
};

/// One run as read back.
struct Run {
  std::filesystem::path path;
  RunHeader header;
  std::vector<Sample> samples;  ///< in order of execution, warm-ups included
  std::vector<Note> notes;

  /// Whether a note says that its samples don't count.
  bool invalidated() const;
  /// Whether its end was recorded: not after a panic, nor while it goes on.
  bool finished() const;
};

/// All that a results folder holds, and what could not be read of it.
struct History {
  std::vector<Run> runs;              ///< by start time, oldest first
  std::vector<std::string> warnings;  ///< "FILE:LINE: sentence"
};

/// How much of each sample is read. kTimes leaves out what the format keeps
/// under "details" (counters, devices, tables, facts, settings) and is many
/// times faster; the metrics are then those whose names end in `_s`.
enum class Detail { kEverything, kTimes };

/// Reads every *.jsonl below `directory`. A torn or bad line is a warning; so
/// is a file without a readable header. Throws Error if the folder isn't there,
/// and for a file of a newer format version, naming file and version.
History load(const std::filesystem::path& directory,
             Detail detail = Detail::kEverything);

}  // namespace sidegrade::store
