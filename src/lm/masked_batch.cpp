// How the draws of documents are gathered into batches, and made.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "lm/masked_mechanism.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::lm {
namespace {

// Draws whose weights are computed together, some megabytes of them.
constexpr std::size_t kWeighed = 256;
constexpr std::size_t kWeighedByThread = 8;

// Probabilities of coins are rounded to multiples of 2^−32; 0 and 1 are exact.
constexpr std::uint64_t kCoinUnits = std::uint64_t{1} << 32;

bool toss(BitSource& bits, double probability) {
  return random::bernoulli(bits, static_cast<std::uint64_t>(std::llround(probability * kCoinUnits)),
                           kCoinUnits);
}

}  // namespace

/// A question about a document: what to put in the place `number` of its drawn ones, or after it.
struct MaskedMechanism::Question {
  MaskedDocument* document;
  MaskedText* text;
  std::size_t number;
  bool after;
};

/// Gathers questions and draws the answers in the order they were asked. Without masks, the questions of a
/// window share a sequence.
class MaskedMechanism::Batch {
 public:
  /// Both must outlive the batch.
  Batch(const MaskedMechanism& mechanism, const DrawsMade& made) : mechanism_(mechanism), made_(made) {}

  Result<void> ask(const Question& question) {
    const std::size_t token = question.document->drawn[question.number];
    if (mechanism_.mode_ == MaskedMode::one_pass)
      read(question, token);
    else
      places_.push_back(question.text->mask(mechanism_.input_, token, question.after, next_sequence()));
    questions_.push_back(question);
    return questions_.size() >= mechanism_.batch_ ? answer() : Result<void>();
  }

  Result<void> answer() {
    if (questions_.empty()) return {};
    SOTTO_TRY(mechanism_.drawn_by_model() ? let_model_draw() : score_and_draw());
    const std::size_t draws = questions_.size();
    questions_.clear();
    places_.clear();
    used_ = 0;
    if (made_ && !made_(draws)) return fail(Errc::interrupted, "interrupted");
    return {};
  }

 private:
  Result<void> score_and_draw() {
    logits_.resize(questions_.size() * mechanism_.model_->output_size());
    const std::span<float> logits(logits_);
    const auto sequences = std::span(sequences_).first(used_);
    if (mechanism_.mode_ == MaskedMode::one_pass)
      SOTTO_TRY(mechanism_.model_->logits_at(sequences, std::span(shared_).first(used_), logits));
    else
      SOTTO_TRY(mechanism_.model_->logits(sequences, places_, logits));
    for (std::size_t i = 0; i < questions_.size(); i += kWeighed) SOTTO_TRY(draw(i, logits));
    return {};
  }

  /// Each document's numbers are taken from its stream in the order of its places, like those of sample().
  Result<void> let_model_draw() {
    std::vector<WordDraw> draws;
    for (const Question& question : questions_) {
      WordDraw& draw = draws.emplace_back();
      const std::optional<std::uint32_t> own = mechanism_.filler_->find(original(question));
      if (own) draw.own = mechanism_.filler_->logits()[*own];
      draw.factor = mechanism_.sharpness(own.has_value());
      draw.point = random::uniform_below(*question.document->bits, mechanism_.total_);
    }
    if (mechanism_.mode_ != MaskedMode::one_pass) {
      shared_.clear();
      for (const std::uint32_t place : places_) shared_.push_back({place});
    }
    std::vector<std::uint32_t> words(draws.size());
    SOTTO_TRY(mechanism_.drawer_->draw(std::span(sequences_).first(used_), std::span(shared_).first(used_),
                                       draws, words));
    for (std::size_t i = 0; i < words.size(); ++i) put(questions_[i], words[i]);
    return {};
  }

  void put(const Question& question, std::uint32_t word) const {
    MaskedOutput& output = question.document->outputs[question.number];
    (question.after ? output.added : output.word) = word;
    if (mechanism_.mode_ != MaskedMode::sequential) return;
    const std::size_t token = question.document->drawn[question.number];
    const std::string& spelled = mechanism_.filler_->words()[word];
    if (question.after)
      question.text->add_after(token, spelled);
    else
      question.text->replace(token, spelled);
  }

  Sequence& next_sequence() {
    if (used_ == sequences_.size()) sequences_.emplace_back();
    return sequences_[used_++];
  }

  /// Adds a question to the sequence of its window.
  void read(const Question& question, std::size_t token) {
    const MaskedText::Window window = question.text->window_of(mechanism_.input_, token);
    if (used_ == 0 || questions_.back().document != question.document || window != window_) {
      read_ = question.text->read(window, next_sequence());
      window_ = window;
      if (shared_.size() < used_) shared_.emplace_back();
      shared_[used_ - 1].clear();
    }
    shared_[used_ - 1].push_back((question.after ? read_.masks : read_.words)[token - window.begin]);
  }

  /// The word that a draw replaces; in one pass none stands where one is added.
  std::string_view original(const Question& question) const {
    if (question.after && mechanism_.mode_ == MaskedMode::one_pass) return {};
    return question.document->original(question.document->drawn[question.number]);
  }

  /// Some of the draws, in order; their weights are computed by several threads.
  Result<void> draw(std::size_t first, std::span<float> logits) {
    const std::size_t size = mechanism_.model_->output_size();
    const std::size_t count = std::min(kWeighed, questions_.size() - first);
    std::vector<Result<void>> results(count);
    weights_.resize(std::max(weights_.size(), count));
    // Similarities are computed by a model with threads of its own.
    const unsigned threads = mechanism_.extras_.similarity ? 1 : mechanism_.options_.threads;
    base::parallel_for(count, kWeighedByThread, threads, [&](std::size_t begin, std::size_t end) {
      LawMemory memory;
      for (std::size_t i = begin; i < end; ++i) {
        const Question& question = questions_[first + i];
        results[i] = mechanism_.weigh(
            {*question.document, question.document->drawn[question.number], original(question)},
            logits.subspan((first + i) * size, size), memory, weights_[i]);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      SOTTO_TRY(results[i]);
      const Question& question = questions_[first + i];
      put(question, mechanism_.law_->sample(weights_[i], *question.document->bits));
    }
    return {};
  }

  const MaskedMechanism& mechanism_;
  const DrawsMade& made_;
  std::vector<Question> questions_;
  std::vector<Sequence> sequences_;  // those of this batch, and room for more
  std::size_t used_ = 0;             // sequences of this batch
  std::vector<std::uint32_t> places_;
  std::vector<std::vector<std::uint32_t>> shared_;  // the places in each sequence, if there is no mask
  MaskedText::Window window_{};                     // of the last sequence
  MaskedText::Places read_;                         // in it
  std::vector<float> logits_;
  std::vector<DrawWeights> weights_;
};

void MaskedMechanism::prepare(MaskedDocument& document) const {
  document.outputs.assign(document.drawn.size(), {});
  document.draws = document.drawn.size();
  if (options_.addition == 0 && options_.deletion == 0) {
    for (MaskedOutput& output : document.outputs) output.word = 0;
    return;
  }
  document.draws = 0;
  // Anything but kNone marks what will be drawn.
  for (MaskedOutput& output : document.outputs) {
    if (!toss(*document.bits, options_.deletion)) output.word = 0;
    if (toss(*document.bits, options_.addition)) output.added = 0;
    document.draws += (output.word != MaskedOutput::kNone) + (output.added != MaskedOutput::kNone);
  }
}

Result<void> MaskedMechanism::rewrite(std::span<MaskedDocument> documents, const DrawsMade& made) const {
  return mode_ == MaskedMode::sequential ? rewrite_in_turn(documents, made)
                                         : rewrite_at_once(documents, made);
}

/// Every draw sees the original, with one mask or without, so all draws of all documents can be made
/// together.
Result<void> MaskedMechanism::rewrite_at_once(std::span<MaskedDocument> documents,
                                              const DrawsMade& made) const {
  Batch batch(*this, made);
  std::vector<std::unique_ptr<MaskedText>> texts;  // of the documents in the current batch
  for (MaskedDocument& document : documents) {
    texts.push_back(std::make_unique<MaskedText>(*filler_, document.text, document.tokens));
    for (std::size_t i = 0; i < document.outputs.size(); ++i)
      if (document.outputs[i].added != MaskedOutput::kNone) texts.back()->expect_after(document.drawn[i]);
    for (std::size_t i = 0; i < document.outputs.size(); ++i) {
      if (document.outputs[i].word != MaskedOutput::kNone)
        SOTTO_TRY(batch.ask({&document, texts.back().get(), i, false}));
      if (document.outputs[i].added != MaskedOutput::kNone)
        SOTTO_TRY(batch.ask({&document, texts.back().get(), i, true}));
    }
  }
  return batch.answer();
}

/// Within a document the draws are sequential; the batch takes the next draw of each document.
Result<void> MaskedMechanism::rewrite_in_turn(std::span<MaskedDocument> documents,
                                              const DrawsMade& made) const {
  Batch batch(*this, made);
  std::vector<MaskedText> texts;
  texts.reserve(documents.size());
  std::size_t longest = 0;
  for (const MaskedDocument& document : documents) {
    texts.emplace_back(*filler_, document.text, document.tokens);
    longest = std::max(longest, document.outputs.size());
  }
  for (std::size_t i = 0; i < longest; ++i) {
    for (const bool after : {false, true}) {
      for (std::size_t d = 0; d < documents.size(); ++d) {
        MaskedDocument& document = documents[d];
        if (i >= document.outputs.size()) continue;
        const MaskedOutput& output = document.outputs[i];
        const bool is_there = (after ? output.added : output.word) != MaskedOutput::kNone;
        if (is_there)
          SOTTO_TRY(batch.ask({&document, &texts[d], i, after}));
        else if (!after)
          texts[d].remove(document.drawn[i]);
      }
      SOTTO_TRY(batch.answer());
    }
  }
  return {};
}

}  // namespace sotto::lm
