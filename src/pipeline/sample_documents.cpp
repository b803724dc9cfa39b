#include "pipeline/sample_documents.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/privatizer_impl.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::pipeline {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

/// Keeps a uniform sample of what it is shown (Vitter's algorithm R).
class Reservoir {
 public:
  explicit Reservoir(const SampleOptions& options)
      : capacity_(options.documents), bits_(random::purpose_key(fmt::format("sample {}", options.seed))) {}

  void offer(std::string_view text) {
    if (text.find_first_not_of(" \t") == std::string_view::npos) return;
    const std::uint64_t place = seen_ < capacity_ ? seen_ : random::uniform_below(bits_, seen_ + 1);
    if (place < kept_.size())
      kept_[place] = {seen_, std::string(text)};
    else if (place < capacity_)
      kept_.emplace_back(seen_, text);
    ++seen_;
  }

  SampledTexts take(bool whole) {
    std::sort(kept_.begin(), kept_.end());
    SampledTexts sample{{}, seen_, whole};
    for (auto& [number, text] : kept_) sample.texts.push_back(std::move(text));
    return sample;
  }

 private:
  std::size_t capacity_;
  random::ChaChaBitSource bits_;
  std::uint64_t seen_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> kept_;
};

/// Shows each text to the reservoir and writes nothing in its place.
class ReservoirRewriter final : public TextRewriter {
 public:
  explicit ReservoirRewriter(Reservoir& reservoir) : reservoir_(reservoir) {}
  void clear() override {}
  Result<void> add(const TextToRewrite& text) override {
    reservoir_.offer(text.text);
    return {};
  }
  bool is_full() const override { return false; }
  Result<void> resolve() override { return {}; }
  void render(Counts&, text::OutputBuffer&) override {}

 private:
  Reservoir& reservoir_;
};

/// Stands where a mechanism would, so that files of all kinds are read by the code that privatizes them.
class Sampler final : public TextMechanism {
 public:
  explicit Sampler(Reservoir& reservoir)
      : TextMechanism(MechanismKind::word_by_word, PrivatizeOptions()), reservoir_(reservoir) {}

  std::unique_ptr<TextRewriter> make_rewriter() const override {
    return std::make_unique<ReservoirRewriter>(reservoir_);
  }
  std::string model_name() const override { return {}; }
  std::string model_digest() const override { return {}; }
  Guarantee guarantee(const Counts&) const override { return {}; }
  void add_to(random::CanonicalConfiguration&) const override {}
  void add_to(Receipt&) const override {}
  std::size_t chunk_bytes(bool) const override { return kChunkBytes; }
  unsigned threads(unsigned) const override { return 1; }  // the sample depends on the order of documents

 private:
  Reservoir& reservoir_;
};

Result<std::unique_ptr<Privatizer>> make_sampler(Reservoir& reservoir) {
  auto context = std::make_shared<RewriteContext>();
  SOTTO_ASSIGN(const random::Key key, random::random_key());
  context->key = random::make_locked<const random::Key>(key);
  context->mechanism = std::make_shared<Sampler>(reservoir);
  auto impl = std::make_unique<Privatizer::Impl>();
  impl->context = std::move(context);
  return PrivatizerAccess::make(std::move(impl));
}

}  // namespace

Result<SampledTexts> sample_documents(const FileOptions& files, const SampleOptions& options) {
  Reservoir reservoir(options);
  SOTTO_ASSIGN(const auto sampler, make_sampler(reservoir));
  FileOptions own = files;
  own.output = "/dev/null";
  own.report.reset();
  own.statistics.reset();
  own.ledger.reset();
  own.resume = false;
  bool enough = false;
  own.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (files.progress && !files.progress(done, total)) return false;
    enough = done >= options.most_bytes && done != total;  // 0: the total is unknown
    return !enough;
  };
  const auto read = privatize_files(*sampler, own);
  if (!read && !enough) return tl::unexpected(read.error());
  return reservoir.take(!enough);
}

}  // namespace sotto::pipeline
