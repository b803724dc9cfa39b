#include "collocation/spilled_run.hpp"

#include <algorithm>
#include <utility>

namespace sotto::collocation {
namespace {

void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

Result<void> spill_words(const RankedWords& words, TemporaryFile& file) {
  constexpr std::size_t kBuffer = 1 << 16;
  std::string bytes;
  std::string_view before;
  for (std::uint32_t rank = 0; rank < words.size(); ++rank) {
    const std::string_view word = words.word(rank);
    const auto shared = static_cast<std::size_t>(
        std::mismatch(word.begin(), word.end(), before.begin(), before.end()).first - word.begin());
    append_number(bytes, shared);
    append_number(bytes, word.size() - shared);
    bytes += word.substr(shared);
    append_number(bytes, words.counts[rank]);
    before = word;
    if (bytes.size() < kBuffer) continue;
    SOTTO_TRY(file.append(bytes));
    bytes.clear();
  }
  return file.append(bytes);
}

/// Turns each piece into a segment.
class SpillHandler final : public PieceHandler {
 public:
  SpillHandler(SpilledRun& run, TemporaryFile& file) : run_(run), file_(file) {}

  std::unique_ptr<NgramSink> begin_piece(std::uint32_t first_word) override {
    return std::make_unique<NgramEncoder>(first_word);
  }
  Result<void> end_piece(std::unique_ptr<NgramSink> sink) override {
    auto& encoder = static_cast<NgramEncoder&>(*sink);
    const std::string& bytes = encoder.finish();
    run_.segments.push_back({encoder.first_word(), file_.size(), file_.size() + bytes.size()});
    return file_.append(bytes);
  }

 private:
  SpilledRun& run_;
  TemporaryFile& file_;
};

}  // namespace

void NgramEncoder::pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) {
  close_pair();
  append_number(bytes_, first - first_);
  append_number(bytes_, first == first_ ? second - second_ : second);
  append_number(bytes_, count);
  first_ = first;
  second_ = second;
  third_ = 0;
  open_ = true;
}

void NgramEncoder::triple(std::uint32_t third, std::uint64_t count) {
  append_number(bytes_, third + 1 - third_);
  append_number(bytes_, count);
  third_ = std::uint64_t{third} + 1;
}

void NgramEncoder::close_pair() {
  if (std::exchange(open_, false)) bytes_ += '\0';
}

const std::string& NgramEncoder::finish() {
  close_pair();
  return bytes_;
}

Result<SpilledRun> spill(NgramChunk& chunk, std::uint64_t key_bytes, TemporaryFile& file) {
  SpilledRun run;
  run.words = chunk.words().size();
  run.words_begin = file.size();
  SOTTO_TRY(spill_words(chunk.words(), file));
  run.words_end = file.size();
  SpillHandler handler(run, file);
  SOTTO_TRY(chunk.count(key_bytes, handler));
  return run;
}

void SpillBytes::seek(std::uint64_t begin, std::uint64_t end) {
  next_ = filled_ = 0;
  offset_ = begin;
  end_ = end;
}

char SpillBytes::refilled_byte() {
  const std::uint64_t wanted = std::min<std::uint64_t>(buffer_.size(), end_ - offset_);
  const auto got = error_ ? Result<std::size_t>(0) : file_->read(buffer_.data(), wanted, offset_);
  if (!got || *got == 0) {
    // Only a failing disk leads here: the requested bytes have been written.
    if (!error_)
      error_ =
          got ? fail(Errc::io, "a temporary file is shorter than what was written").value() : got.error();
    offset_ = end_;
    next_ = filled_ = 0;
    return 0;
  }
  offset_ += *got;
  filled_ = *got;
  next_ = 1;
  return buffer_[0];
}

std::uint64_t SpillBytes::number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto next = static_cast<unsigned char>(byte());
    value |= std::uint64_t{next & 0x7FU} << shift;
    if (next < 0x80) break;
  }
  return value;
}

void SpillBytes::copy(char* to, std::size_t size) {
  std::generate_n(to, size, [this] { return byte(); });
}

SpilledWords::SpilledWords(const TemporaryFile& file, const SpilledRun& run, std::size_t buffer_size)
    : bytes_(file, buffer_size) {
  bytes_.seek(run.words_begin, run.words_end);
}

bool SpilledWords::next() {
  if (bytes_.at_end()) return false;
  const std::uint64_t shared = bytes_.number();
  const std::uint64_t rest = bytes_.number();
  word_.resize(std::min<std::uint64_t>(shared, word_.size()) + rest);
  bytes_.copy(word_.data() + (word_.size() - rest), rest);
  count_ = bytes_.number();
  return !bytes_.error();
}

SpilledNgrams::SpilledNgrams(const TemporaryFile& file, const SpilledRun& run, std::size_t buffer_size,
                             std::uint32_t first_begin, std::uint32_t first_end)
    : run_(&run), bytes_(file, buffer_size), first_begin_(first_begin), first_end_(first_end) {
  const auto after = std::upper_bound(
      run.segments.begin(), run.segments.end(), first_begin,
      [](std::uint32_t word, const SpilledRun::Segment& segment) { return word < segment.first_word; });
  segment_ = after == run.segments.begin() ? 0 : static_cast<std::size_t>(after - run.segments.begin()) - 1;
}

bool SpilledNgrams::read_pair() {
  while (open_) next_triple();
  while (bytes_.at_end()) {
    if (segment_ == run_->segments.size() || run_->segments[segment_].first_word >= first_end_) return false;
    bytes_.seek(run_->segments[segment_].begin, run_->segments[segment_].end);
    ++segment_;
    first_ = second_ = 0;
  }
  const std::uint64_t step = bytes_.number();
  const std::uint64_t second = bytes_.number();
  first_ += static_cast<std::uint32_t>(step);
  second_ = static_cast<std::uint32_t>(step == 0 ? second_ + second : second);
  pair_count_ = bytes_.number();
  third_ = 0;
  open_ = true;
  return !bytes_.error();
}

bool SpilledNgrams::next_pair() {
  do {
    if (!read_pair()) return false;
  } while (first_ < first_begin_);
  return first_ < first_end_;
}

bool SpilledNgrams::next_triple() {
  const std::uint64_t step = open_ ? bytes_.number() : 0;
  if (step == 0) {
    open_ = false;
    return false;
  }
  third_ += step;
  triple_count_ = bytes_.number();
  return true;
}

}  // namespace sotto::collocation
