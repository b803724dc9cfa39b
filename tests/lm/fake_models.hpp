// Models whose logits are known, so that laws can be computed, and that record what they were asked.
#pragma once

#include <functional>
#include <mutex>

#include "lm/language_model.hpp"
#include "lm/word_filler.hpp"
#include "support/temporary_folder.hpp"
#include "tokenizer_fixture.hpp"

namespace sotto::testing {

/// A WordPiece tokenizer with BERT's frame: these words, a few letters for all others, and some punctuation.
inline std::shared_ptr<const lm::SubwordTokenizer> small_tokenizer(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n!\n##a\n##b\n##c\n##d\n##x\n";
  for (const std::string& word : words) vocabulary += word + "\n";
  write_file(folder.path() / "vocab.txt", vocabulary);
  return value_or_throw(lm::SubwordTokenizer::open(folder.path()));
}

inline constexpr std::uint32_t kFirstWord = 13;  ///< the id of the first of the words

class FakeMaskedModel final : public lm::MaskedModel, public std::enable_shared_from_this<FakeMaskedModel> {
 public:
  /// The logit of `output` for a sequence masked at `place`.
  using Score = std::function<float(const lm::Sequence& sequence, std::uint32_t place, std::uint32_t output)>;

  FakeMaskedModel(std::uint32_t size, Score score) : inputs(size), outputs(size), score_(std::move(score)) {}

  std::uint32_t input_size() const override { return inputs; }
  std::uint32_t output_size() const override { return outputs; }
  std::uint32_t max_positions() const override { return positions; }
  std::uint32_t segment_count() const override { return 2; }
  std::uint32_t piece_count() const override { return pieces; }
  std::optional<lm::LogitBounds> bounds() const override { return given_bounds; }
  std::span<const float> log_base() const override { return base; }
  Result<std::shared_ptr<const lm::MaskedModel>> at_reach(double, double) const override {
    return head ? shared_from_this() : nullptr;
  }
  const lm::BoundedHead* bounded_head() const override { return head ? &*head : nullptr; }
  bool prefers_to_draw() const override { return draws; }
  Result<std::unique_ptr<const lm::WordDrawer>> drawer(const lm::PublicLaw& law) const override {
    if (!draws) return nullptr;
    return std::make_unique<const Drawer>(*this, law.outcomes.size());
  }

  Result<void> logits(std::span<const lm::Sequence> sequences, std::span<const std::uint32_t> masked,
                      std::span<float> out) const override {
    const std::lock_guard lock(mutex_);
    batches.push_back(sequences.size());
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      asked.push_back(sequences[i]);
      places.push_back(masked[i]);
      for (std::uint32_t k = 0; k < outputs; ++k) out[i * outputs + k] = score_(sequences[i], masked[i], k);
    }
    return {};
  }

  std::uint32_t inputs;
  std::uint32_t outputs;
  std::uint32_t positions = 512;
  std::uint32_t pieces = 1;
  std::optional<lm::LogitBounds> given_bounds = lm::LogitBounds{0, 10, true};
  std::vector<float> base;
  std::optional<lm::BoundedHead> head;
  mutable std::vector<lm::Sequence> asked;
  mutable std::vector<std::uint32_t> places;
  mutable std::vector<std::size_t> batches;
  bool draws = false;                      ///< itself: the outcome is the point modulo their number
  mutable std::vector<lm::WordDraw> made;  ///< by itself

 private:
  class Drawer final : public lm::WordDrawer {
   public:
    Drawer(const FakeMaskedModel& model, std::size_t outcomes) : model_(model), outcomes_(outcomes) {}
    Result<void> draw(std::span<const lm::Sequence> sequences,
                      std::span<const std::vector<std::uint32_t>> each,
                      std::span<const lm::WordDraw> draws_made, std::span<std::uint32_t> out) const override {
      model_.batches.push_back(sequences.size());
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        model_.asked.push_back(sequences[i]);
        model_.places.insert(model_.places.end(), each[i].begin(), each[i].end());
      }
      model_.made.insert(model_.made.end(), draws_made.begin(), draws_made.end());
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint32_t>(draws_made[i].point % outcomes_);
      return {};
    }

   private:
    const FakeMaskedModel& model_;
    std::size_t outcomes_;
  };

  Score score_;
  mutable std::mutex mutex_;
};

/// A number in [0, 1) that depends on all arguments.
inline float mixed(std::span<const std::int32_t> ids, std::uint32_t place, std::uint32_t output) {
  std::uint64_t state = 0x9E3779B97F4A7C15 + place * 77 + output;
  for (const std::int32_t id : ids) state = (state ^ static_cast<std::uint32_t>(id)) * 0xD1B54A32D192ED03;
  state ^= state >> 29;
  return static_cast<float>((state * 0x9E3779B97F4A7C15) >> 40) * 0x1p-24F;
}

/// Continues texts: the logits depend on the prompt and on all tokens since.
class FakeCausalModel final : public lm::CausalModel {
 public:
  using Score = std::function<float(std::span<const std::int32_t> ids, std::uint32_t output)>;

  FakeCausalModel(std::uint32_t size, bool answers, Score score)
      : size_(size), answers_(answers), score_(std::move(score)) {}

  std::uint32_t output_size() const override { return size_; }
  std::uint32_t max_positions() const override { return positions; }
  bool answers() const override { return answers_; }
  Result<void> score(std::span<const lm::Sequence>, std::span<float>) const override {
    return fail(Errc::invalid_argument, "not here");
  }
  Result<std::unique_ptr<lm::Generation>> begin(std::span<const lm::Sequence> prompts,
                                                std::span<float> logits) const override {
    for (const lm::Sequence& prompt : prompts) asked.push_back(prompt.ids);
    auto texts = std::make_unique<Texts>(*this, prompts);
    texts->answer(logits);
    return texts;
  }

  std::uint32_t positions = 64;
  mutable std::vector<std::vector<std::int32_t>> asked;
  mutable std::size_t longest = 0;

 private:
  class Texts final : public lm::Generation {
   public:
    Texts(const FakeCausalModel& model, std::span<const lm::Sequence> prompts) : model_(model) {
      for (const lm::Sequence& prompt : prompts) ids_.push_back(prompt.ids);
    }
    Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) override {
      for (std::size_t i = 0; i < tokens.size(); ++i) ids_[i].push_back(tokens[i]);
      answer(logits);
      return {};
    }
    void answer(std::span<float> logits) const {
      for (std::size_t i = 0; i < ids_.size(); ++i) {
        model_.longest = std::max(model_.longest, ids_[i].size());
        for (std::uint32_t k = 0; k < model_.size_; ++k)
          logits[i * model_.size_ + k] = model_.score_(ids_[i], k);
      }
    }

   private:
    const FakeCausalModel& model_;
    std::vector<std::vector<std::int32_t>> ids_;
  };

  std::uint32_t size_;
  bool answers_;
  Score score_;
};

}  // namespace sotto::testing
