// OUT.partial holds the output so far, OUT.checkpoint a note of how far it goes. The note is written after
// the bytes it refers to have reached the disk, so whenever the run is killed, a resumed run truncates the
// partial file to the note and continues from there. The noise is a function of key and document, so the
// result equals that of an uninterrupted run.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/as_result.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_numbers.hpp"
#include "pipeline/records/output_target.hpp"

namespace sotto::pipeline {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kCheckpointInterval = std::chrono::seconds(1);

/// The members of Counts in a fixed order, for the note.
template <class CountsType>
auto count_members(CountsType& c) {
  auto& s = c.statistics;
  return std::array{&c.documents,        &c.words,
                    &c.numbers,          &c.punctuation,
                    &c.privatized,       &c.randomized_numbers,
                    &c.clear_stopwords,  &c.clear_oov,
                    &c.clear_numbers,    &c.clear_punctuation,
                    &c.dropped,          &c.withheld,
                    &c.repeated,         &c.skipped,
                    &c.largest_document, &c.largest_record,
                    &s.bytes_in,         &s.others,
                    &s.changed,          &s.bottom,
                    &s.invalid_utf8,     &s.phrases,
                    &s.output_phrases,   &s.privatized_words,
                    &s.output_words,     &s.largest_document_words,
                    &s.folded,           &s.corrected,
                    &s.subword,          &s.uniform};
}

/// The same for those that are not whole numbers.
template <class CountsType>
auto amount_members(CountsType& c) {
  return std::array{&c.epsilon_sum, &c.largest_epsilon, &c.largest_record_epsilon, &c.smallest_share,
                    &c.largest_share};
}

/// Copies a note's numbers to the members; returns false if their number differs.
template <class Members>
bool restore(const nlohmann::json& numbers, const Members& members) {
  using Value = std::remove_pointer_t<typename Members::value_type>;
  if (!numbers.is_array() || numbers.size() != members.size()) return false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if constexpr (std::integral<Value>)
      *members[i] = base::whole_number<Value>(numbers[i]);
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
  const nlohmann::json note = {{"fingerprint", fingerprint},
                               {"input", progress.position.input},
                               {"offset", progress.position.offset},
                               {"record", progress.position.record},
                               {"line", progress.position.line},
                               {"output_bytes", progress.output_bytes},
                               {"input_records", progress.input.records},
                               {"input_documents", progress.input.documents},
                               {"has_elements", progress.has_elements},
                               {"counts", counts},
                               {"amounts", amounts},
                               {"clear_fields", progress.clear_fields}};
  return note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<Progress> from_note(const std::string& text, const std::string& fingerprint,
                           const std::filesystem::path& file) {
  const auto damaged = [&] {
    return fail_parameter("resume", "", fmt::format("{} is damaged; remove it to start over", file.string()),
                          Errc::bad_format);
  };
  const nlohmann::json note = base::parse_json(text);
  if (!note.is_object() || !note.contains("fingerprint")) return damaged();
  if (note["fingerprint"] != fingerprint)
    return fail_parameter(
        "resume", "",
        fmt::format(
            "{} belongs to a run with other settings, inputs or key; use those, or remove it to start over",
            file.string()));
  try {
    Progress progress;
    progress.position = {base::whole_number<std::uint32_t>(note.at("input")),
                         base::whole_number<std::uint64_t>(note.at("offset")),
                         base::whole_number<std::uint64_t>(note.at("record")),
                         base::whole_number<std::uint64_t>(note.at("line"))};
    progress.output_bytes = base::whole_number<std::uint64_t>(note.at("output_bytes"));
    progress.input = {base::whole_number<std::uint64_t>(note.at("input_records")),
                      base::whole_number<std::uint64_t>(note.at("input_documents"))};
    progress.has_elements = note.at("has_elements").get<bool>();
    progress.clear_fields = note.at("clear_fields").get<std::set<std::string>>();
    if (!restore(note.at("counts"), count_members(progress.counts)) ||
        !restore(note.at("amounts"), amount_members(progress.counts)))
      return damaged();
    return progress;
  } catch (const nlohmann::json::exception&) {
    return damaged();
  }
}

class ResumableOutput final : public OutputTarget {
 public:
  ResumableOutput(std::filesystem::path file, std::string fingerprint)
      : file_(std::move(file)), fingerprint_(std::move(fingerprint)) {}

  ~ResumableOutput() override {
    // A newer note can only help.
    if (descriptor_.get() >= 0 && unsaved_) (void)base::as_result([this] { return save(); });
  }

  Result<void> open(Progress& resumed) {
    std::error_code ignored;
    if (std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored))
      return fail_parameter("resume", "", fmt::format("cannot write {}: it is not a file", file_.string()));
    SOTTO_ASSIGN(const bool is_new, open_partial());
    if (!is_new) SOTTO_TRY(read_note(resumed));
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(resumed.output_bytes)) != 0 ||
        ::lseek(descriptor_.get(), 0, SEEK_END) != static_cast<off_t>(resumed.output_bytes))
      return cannot_write(partial_path());
    return {};
  }

  Result<void> write(std::string_view data) override {
    return base::write_all(descriptor_.get(), data, file_.string());
  }

  Result<void> progressed(const Progress& progress) override {
    latest_ = progress;
    unsaved_ = true;
    if (Clock::now() - saved_at_ < kCheckpointInterval) return {};
    return save();
  }

  Result<void> commit(const std::function<bool()>& go_on) override {
    if (base::compression_by_name(file_) != base::Compression::none) return commit_compressed(go_on);
    unsaved_ = false;
    SOTTO_TRY(base::take_after(descriptor_.get(), file_));
    SOTTO_TRY(base::sync_file(descriptor_.get(), file_.string()));
    if (::rename(partial_path().c_str(), file_.c_str()) != 0) return cannot_write(file_);
    // The note is obsolete only once the name is on disk.
    SOTTO_TRY(base::sync_folder_of(file_));
    ::unlink(note_path().c_str());
    return {};
  }

 private:
  std::filesystem::path partial_path() const { return file_.string() + ".partial"; }
  std::filesystem::path note_path() const { return file_.string() + ".checkpoint"; }

  static tl::unexpected<Error> cannot_write(const std::filesystem::path& file) {
    const int number = errno;
    return fail(number == ENOENT ? Errc::not_found : Errc::io,
                fmt::format("cannot write {}: {}", file.string(), std::strerror(number)));
  }

  /// The partial file has a name until the compressed one has its own, so that a run that is killed meanwhile
  /// can be resumed.
  Result<void> commit_compressed(const std::function<bool()>& go_on) {
    if (unsaved_) SOTTO_TRY(save());
    SOTTO_ASSIGN(const base::FileDescriptor partial, base::open_own_file(partial_path(), O_RDONLY));
    SOTTO_ASSIGN(base::AtomicFile compressed, base::AtomicFile::create(file_));
    std::vector<char> block(1 << 20);
    for (;;) {
      SOTTO_ASSIGN(const std::size_t got,
                   base::read_some(partial.get(), block.data(), block.size(), partial_path().string()));
      if (got == 0) break;
      SOTTO_TRY(compressed.write({block.data(), got}));
      if (go_on && !go_on()) return fail(Errc::interrupted, "interrupted");
    }
    SOTTO_TRY(compressed.commit());
    ::unlink(partial_path().c_str());
    ::unlink(note_path().c_str());
    return {};
  }

  /// Creates the partial file, or opens that of an interrupted run; returns true if it is new. Its name is
  /// predictable, so nothing is followed or taken over that this user did not create.
  Result<bool> open_partial() {
    for (;;) {
      std::error_code ignored;
      const mode_t mode = std::filesystem::exists(file_, ignored) ? 0600 : 0666;
      descriptor_ = base::FileDescriptor(
          ::open(partial_path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
      const bool is_new = descriptor_.get() >= 0;
      if (!is_new && errno != EEXIST) return cannot_write(partial_path());
      if (!is_new) {
        auto earlier = base::open_own_file(partial_path(), O_WRONLY);
        if (!earlier && earlier.error().code == Errc::not_found) continue;  // its run has just finished
        if (!earlier) return tl::unexpected(std::move(earlier.error()));
        descriptor_ = std::move(*earlier);
      }
      if (!base::try_lock(descriptor_.get()) && errno == EWOULDBLOCK)
        return fail_parameter("resume", "",
                              fmt::format("another run is writing {}; wait for it", partial_path().string()),
                              Errc::io);
      if (base::is_name_of(partial_path(), descriptor_.get())) return is_new;
    }
  }

  /// How far the earlier run came; leaves `resumed` unchanged if that run left no note.
  Result<void> read_note(Progress& resumed) const {
    auto note = base::open_own_file(note_path(), O_RDONLY);
    if (!note && note.error().code == Errc::not_found) return {};
    if (!note) return tl::unexpected(std::move(note.error()));
    SOTTO_ASSIGN(const std::string text, base::read_file(*note, note_path().string()));
    SOTTO_ASSIGN(resumed, from_note(text, fingerprint_, note_path()));
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) return cannot_write(partial_path());
    if (static_cast<std::uint64_t>(status.st_size) < resumed.output_bytes)
      return fail_parameter("resume", "",
                            fmt::format("{} is shorter than {} says; remove both to start over",
                                        partial_path().string(), note_path().string()),
                            Errc::bad_format);
    return {};
  }

  Result<void> save() {
    if (::fdatasync(descriptor_.get()) != 0) return cannot_write(partial_path());
    SOTTO_ASSIGN(base::AtomicFile note, base::AtomicFile::create_own(note_path()));
    // The note holds exact counts of the input.
    if (::fchmod(note.descriptor(), 0600) != 0) return cannot_write(note_path());
    SOTTO_TRY(note.write(to_note(latest_, fingerprint_)));
    SOTTO_TRY(note.commit());
    saved_at_ = Clock::now();
    unsaved_ = false;
    return {};
  }

  std::filesystem::path file_;
  std::string fingerprint_;
  base::FileDescriptor descriptor_;
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

}  // namespace sotto::pipeline
