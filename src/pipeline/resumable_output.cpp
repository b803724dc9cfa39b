// OUT.partial holds the output so far, OUT.checkpoint how far it goes. The note is written after the bytes it
// speaks of have reached the disk, so whatever moment the run is killed at, a resumed run cuts the partial
// file back to the note and goes on from there. The noise is a function of key and document, so the whole
// equals an undisturbed run.
#include <chrono>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_numbers.hpp"
#include "pipeline/output_target.hpp"

namespace sotto {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr auto kCheckpointInterval = std::chrono::seconds(1);

/// The members of Counts in one fixed order, for the note.
template <class CountsType>
auto count_members(CountsType& c) {
  auto& s = c.statistics;
  return std::array{&c.documents,        &c.words,
                    &c.numbers,          &c.punctuation,
                    &c.privatized,       &c.randomized_numbers,
                    &c.clear_stopwords,  &c.clear_oov,
                    &c.clear_numbers,    &c.clear_punctuation,
                    &c.dropped,          &c.withheld,
                    &c.largest_document, &c.largest_record,
                    &s.bytes_in,         &s.others,
                    &s.changed,          &s.bottom,
                    &s.invalid_utf8,     &s.phrases,
                    &s.output_phrases,   &s.privatized_words,
                    &s.output_words,     &s.largest_document_words};
}

/// The same of those that are no whole numbers.
template <class CountsType>
auto amount_members(CountsType& c) {
  return std::array{&c.epsilon_sum, &c.largest_epsilon, &c.largest_record_epsilon, &c.smallest_share,
                    &c.largest_share};
}

/// Copies a note's numbers to the members; false when there are not as many.
template <class Members>
bool restore(const Json& numbers, const Members& members) {
  using Value = std::remove_pointer_t<typename Members::value_type>;
  if (!numbers.is_array() || numbers.size() != members.size()) return false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if constexpr (std::integral<Value>)
      *members[i] = whole_number<Value>(numbers[i]);
    else
      *members[i] = numbers[i].template get<Value>();
  }
  return true;
}

std::string to_note(const Progress& progress, const std::string& fingerprint) {
  std::vector<std::uint64_t> counts;
  for (const std::uint64_t* member : count_members(progress.counts)) counts.push_back(*member);
  std::vector<double> amounts;
  for (const double* member : amount_members(progress.counts)) amounts.push_back(*member);
  const Json note = {{"fingerprint", fingerprint},
                     {"input", progress.position.input},
                     {"offset", progress.position.offset},
                     {"record", progress.position.record},
                     {"output_bytes", progress.output_bytes},
                     {"input_records", progress.input.records},
                     {"input_documents", progress.input.documents},
                     {"counts", counts},
                     {"amounts", amounts},
                     {"clear_fields", progress.clear_fields}};
  return note.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Progress> from_note(const std::string& text, const std::string& fingerprint,
                           const std::filesystem::path& file) {
  const auto damaged = [&] {
    return fail(Errc::bad_format,
                fmt::format("--resume: {} is damaged; remove it to start anew", file.string()));
  };
  const Json note = parse_json(text);
  if (!note.is_object() || !note.contains("fingerprint")) return damaged();
  if (note["fingerprint"] != fingerprint)
    return fail(
        Errc::invalid_argument,
        fmt::format(
            "--resume: {} belongs to a run with other settings, inputs or key; use those, or remove it "
            "to start anew",
            file.string()));
  try {
    Progress progress;
    progress.position = {whole_number<std::uint32_t>(note.at("input")),
                         whole_number<std::uint64_t>(note.at("offset")),
                         whole_number<std::uint64_t>(note.at("record"))};
    progress.output_bytes = whole_number<std::uint64_t>(note.at("output_bytes"));
    progress.input = {whole_number<std::uint64_t>(note.at("input_records")),
                      whole_number<std::uint64_t>(note.at("input_documents"))};
    progress.clear_fields = note.at("clear_fields").get<std::set<std::string>>();
    if (!restore(note.at("counts"), count_members(progress.counts)) ||
        !restore(note.at("amounts"), amount_members(progress.counts)))
      return damaged();
    return progress;
  } catch (const Json::exception&) {
    return damaged();
  }
}

class ResumableOutput final : public OutputTarget {
 public:
  ResumableOutput(std::filesystem::path file, std::string fingerprint)
      : file_(std::move(file)), fingerprint_(std::move(fingerprint)) {}

  ~ResumableOutput() override {
    if (descriptor_.get() >= 0 && unsaved_) (void)save();  // the last note is only the better for being newer
  }

  Result<void> open(Progress& resumed) {
    std::error_code ignored;
    if (std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored))
      return fail(Errc::invalid_argument,
                  fmt::format("--resume: cannot write {}: it is not a file", file_.string()));
    if (std::filesystem::exists(note_path(), ignored) && std::filesystem::exists(partial_path(), ignored)) {
      SOTTO_ASSIGN(const std::string note, read_file(note_path()));
      SOTTO_ASSIGN(resumed, from_note(note, fingerprint_, note_path()));
      if (std::filesystem::file_size(partial_path(), ignored) < resumed.output_bytes)
        return fail(Errc::bad_format,
                    fmt::format("--resume: {} is shorter than {} says; remove both to start anew",
                                partial_path().string(), note_path().string()));
    }
    SOTTO_ASSIGN(descriptor_, open_for_writing(partial_path()));
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(resumed.output_bytes)) != 0 ||
        ::lseek(descriptor_.get(), 0, SEEK_END) != static_cast<off_t>(resumed.output_bytes))
      return fail(Errc::io,
                  fmt::format("cannot write {}: {}", partial_path().string(), std::strerror(errno)));
    return {};
  }

  Result<void> write(std::string_view data) override {
    return write_all(descriptor_.get(), data, file_.string());
  }

  Result<void> progressed(const Progress& progress) override {
    latest_ = progress;
    unsaved_ = true;
    if (Clock::now() - saved_at_ < kCheckpointInterval) return {};
    return save();
  }

  Result<void> commit() override {
    unsaved_ = false;
    if (::rename(partial_path().c_str(), file_.c_str()) != 0)
      return fail(Errc::io, fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno)));
    ::unlink(note_path().c_str());
    return {};
  }

 private:
  std::filesystem::path partial_path() const { return file_.string() + ".partial"; }
  std::filesystem::path note_path() const { return file_.string() + ".checkpoint"; }

  Result<void> save() {
    if (::fdatasync(descriptor_.get()) != 0)
      return fail(Errc::io,
                  fmt::format("cannot write {}: {}", partial_path().string(), std::strerror(errno)));
    SOTTO_ASSIGN(AtomicFile note, AtomicFile::create(note_path()));
    SOTTO_TRY(note.write(to_note(latest_, fingerprint_)));
    SOTTO_TRY(note.commit());
    saved_at_ = Clock::now();
    unsaved_ = false;
    return {};
  }

  std::filesystem::path file_;
  std::string fingerprint_;
  FileDescriptor descriptor_;
  Progress latest_;
  bool unsaved_ = false;
  Clock::time_point saved_at_ = Clock::now();
};

}  // namespace

Result<std::unique_ptr<OutputTarget>> open_resumable_output(const std::filesystem::path& file,
                                                            const std::string& fingerprint,
                                                            Progress& resumed) {
  auto output = std::make_unique<ResumableOutput>(file, fingerprint);
  SOTTO_TRY(output->open(resumed));
  return output;
}

}  // namespace sotto
