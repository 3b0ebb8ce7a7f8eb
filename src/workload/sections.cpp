#include "workload/sections.h"

#include <algorithm>

namespace sidegrade::workload {
namespace {

constexpr int64_t kToTheEnd = Stretch::kToTheEnd;

/// A part of a file by what is in it, wherever it stands in the sequence.
struct Piece {
  enum class Kind { kSchemaFile, kOther, kData, kPostData };

  size_t file;
  int64_t until;
  Kind kind;
};

using Kind = Piece::Kind;

Kind kind_of(PhaseKind phase) {
  if (phase == PhaseKind::kSchema) return Kind::kSchemaFile;
  return phase == PhaseKind::kIndex ? Kind::kPostData : Kind::kData;
}

void add_pieces(size_t index, const InputFile& file, Client client,
                std::vector<Piece>& pieces) {
  if (file.phase) {
    pieces.push_back({index, kToTheEnd, kind_of(*file.phase)});
    return;
  }
  if (client == Client::kPsql || file.outline.depends_on_session) {
    pieces.push_back({index, kToTheEnd, Kind::kData});
    return;
  }
  const script::Outline& outline = file.outline;
  const int64_t post_data = outline.post_data_begin.value_or(kToTheEnd);
  const int64_t data = outline.data_begin.value_or(post_data);
  if (data > 0) pieces.push_back({index, data, Kind::kOther});
  if (outline.data_begin) pieces.push_back({index, post_data, Kind::kData});
  if (outline.post_data_begin) {
    pieces.push_back({index, kToTheEnd, Kind::kPostData});
  }
}

/// The phase of a piece before the first data: behind a schema file, only
/// another one is schema too.
PhaseKind phase_before_data(const std::vector<Piece>& pieces, size_t index) {
  if (pieces[index].kind == Kind::kSchemaFile) return PhaseKind::kSchema;
  const auto here = pieces.begin() + static_cast<std::ptrdiff_t>(index);
  const bool behind_schema = std::any_of(
      pieces.begin(), here,
      [](const Piece& piece) { return piece.kind == Kind::kSchemaFile; });
  return behind_schema ? PhaseKind::kImport : PhaseKind::kSchema;
}

std::vector<PhaseKind> phases_of(const std::vector<Piece>& pieces) {
  const auto is_data = [](const Piece& piece) {
    return piece.kind == Kind::kData;
  };
  const auto first = static_cast<size_t>(
      std::find_if(pieces.begin(), pieces.end(), is_data) - pieces.begin());
  const auto behind_last = static_cast<size_t>(
      pieces.rend() - std::find_if(pieces.rbegin(), pieces.rend(), is_data));
  std::vector<PhaseKind> phases(pieces.size(), PhaseKind::kSchema);
  if (behind_last == 0) return phases;
  PhaseKind latest = PhaseKind::kSchema;
  for (size_t i = 0; i < pieces.size(); ++i) {
    PhaseKind phase = PhaseKind::kImport;
    if (i < first) phase = phase_before_data(pieces, i);
    if (i >= behind_last && pieces[i].kind == Kind::kPostData) {
      phase = PhaseKind::kIndex;
    }
    latest = std::max(latest, phase);  // a phase runs once, so none comes back
    phases[i] = latest;
  }
  return phases;
}

}  // namespace

std::vector<Stretch> plan_stretches(const std::vector<InputFile>& files,
                                    const WorkloadSpec& spec) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < files.size(); ++i) {
    add_pieces(i, files[i], spec.client, pieces);
  }
  const std::vector<PhaseKind> phases = phases_of(pieces);
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool wanted = std::find(spec.phases.begin(), spec.phases.end(),
                                  phases[i]) != spec.phases.end();
    const Stretch next{pieces[i].file, pieces[i].until,
                       wanted ? phases[i] : PhaseKind::kImport};
    const bool continues = !stretches.empty() &&
                           stretches.back().file == next.file &&
                           stretches.back().phase == next.phase;
    if (continues) stretches.pop_back();
    stretches.push_back(next);
  }
  return stretches;
}

}  // namespace sidegrade::workload
