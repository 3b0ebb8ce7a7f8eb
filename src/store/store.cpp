#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <set>
#include <thread>
#include <tuple>

#include "base/error.h"
#include "store/format.h"

namespace sidegrade::store {
namespace {

namespace fs = std::filesystem;

base::DurableLines create_file(const fs::path& directory,
                               const RunHeader& header) {
  const fs::path folder = directory / header.host;
  try {
    fs::create_directories(folder);
    return base::DurableLines::create(folder / (header.run_id + ".jsonl"));
  } catch (const fs::filesystem_error& error) {
    throw base::Error(
        fmt::format("the results folder {} could not be made: {}",
                    folder.string(), error.code().message()),
        "Choose a folder that this user can write, with --results.");
  } catch (const base::Error& error) {
    throw base::Error(
        error.what(),
        "Choose a folder that this user can write, with --results.");
  }
}

/// What one file holds.
struct FileContents {
  std::optional<Run> run;
  std::vector<std::string> warnings;
};

/// Reads one file, line by line.
class RunReader {
 public:
  RunReader(fs::path path, Detail detail)
      : path_(std::move(path)), detail_(detail) {}

  FileContents read();

 private:
  void read_header(std::string_view line);
  void read_line(std::string_view line, bool whole);
  void add_record(Record record);
  void warn(std::string_view sentence);

  fs::path path_;
  Detail detail_;
  size_t line_number_ = 0;
  FileContents contents_;
  std::set<std::string> unknown_kinds_;
};

FileContents RunReader::read() {
  constexpr size_t kBufferBytes = 1 << 18;
  std::vector<char> buffer(kBufferBytes);
  std::ifstream file;
  file.rdbuf()->pubsetbuf(buffer.data(), kBufferBytes);
  file.open(path_, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    ++line_number_;
    read_line(line, !file.eof());
    if (!contents_.run) return std::move(contents_);
  }
  if (file.bad() || !file.is_open()) {
    ++line_number_;
    warn("the file can't be read from here on");
  } else if (line_number_ == 0) {
    ++line_number_;
    warn("the file is empty; the run is left out");
  }
  return std::move(contents_);
}

void RunReader::read_line(std::string_view line, bool whole) {
  if (line_number_ == 1) return read_header(line);
  if (line.empty()) return;
  try {
    // A torn sample can end in a brace too, so only a whole parse tells.
    add_record(parse_record(line, whole ? detail_ : Detail::kEverything));
  } catch (const base::Error& error) {
    warn(whole ? fmt::format("{}; the line is passed over", error.what())
               : "the last line is torn, as after a crash; it is passed over");
  }
}

void RunReader::read_header(std::string_view line) {
  try {
    contents_.run = Run{path_, parse_header(line), {}, {}};
  } catch (const NewerFormat& error) {
    throw base::Error(
        fmt::format("{} has format version {}; this sidegrade reads up to "
                    "version {}",
                    path_.string(), error.version(), kFormatVersion),
        "Use the sidegrade that wrote it, or a newer one; or move the file out "
        "of the results folder.");
  } catch (const base::Error& error) {
    warn(line.empty() ? "the file has no header; the run is left out"
                      : fmt::format("{}; the run is left out", error.what()));
  }
}

void RunReader::add_record(Record record) {
  if (auto* sample = std::get_if<Sample>(&record)) {
    contents_.run->samples.push_back(std::move(*sample));
  } else if (auto* note = std::get_if<Note>(&record)) {
    contents_.run->notes.push_back(std::move(*note));
  } else {
    const std::string& kind = std::get<UnknownRecord>(record).kind;
    if (!unknown_kinds_.insert(kind).second) return;
    warn(fmt::format(
        "records of kind \"{}\" are unknown to this sidegrade and passed over",
        kind));
  }
}

void RunReader::warn(std::string_view sentence) {
  contents_.warnings.push_back(
      fmt::format("{}:{}: {}", path_.string(), line_number_, sentence));
}

std::vector<fs::path> results_files(const fs::path& directory) {
  std::vector<fs::path> paths;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file() && entry.path().extension() == ".jsonl") {
        paths.push_back(entry.path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw base::Error(
        fmt::format("the results folder {} could not be read: {}",
                    directory.string(), error.code().message()),
        "Measure first with sidegrade run, or name another folder with "
        "--results.");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The contents of all files in their order, read by one thread a processor.
std::vector<FileContents> read_files(const std::vector<fs::path>& paths,
                                     Detail detail) {
  std::vector<FileContents> contents(paths.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++) {
      contents[i] = RunReader(paths[i], detail).read();
    }
  };
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> workers;
  for (size_t i = 1; i < std::min(processors, paths.size()); ++i) {
    workers.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& worker : workers) worker.get();
  return contents;
}

}  // namespace

RunWriter::RunWriter(const fs::path& directory, const RunHeader& header)
    : lines_(create_file(directory, header)) {
  lines_.append(header_line(header));
}

void RunWriter::append(const Sample& sample) {
  lines_.append(record_line(sample));
}

void RunWriter::append(const Note& note) { lines_.append(record_line(note)); }

bool Run::invalidated() const {
  return std::any_of(notes.begin(), notes.end(),
                     [](const Note& note) { return note.invalidates_run; });
}

bool Run::finished() const {
  return std::any_of(notes.begin(), notes.end(), [](const Note& note) {
    return note.kind == "run_finished";
  });
}

History load(const fs::path& directory, Detail detail) {
  History history;
  for (FileContents& file : read_files(results_files(directory), detail)) {
    if (file.run) history.runs.push_back(std::move(*file.run));
    history.warnings.insert(history.warnings.end(), file.warnings.begin(),
                            file.warnings.end());
  }
  std::sort(history.runs.begin(), history.runs.end(),
            [](const Run& a, const Run& b) {
              return std::tie(a.header.started_at, a.path) <
                     std::tie(b.header.started_at, b.path);
            });
  return history;
}

}  // namespace sidegrade::store
