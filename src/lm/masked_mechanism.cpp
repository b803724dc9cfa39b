#include "lm/masked_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/message.hpp"
#include "base/parallel.hpp"
#include "lm/balanced_law.hpp"
#include "lm/logit_law.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::lm {
namespace {

// A batch's logits take at most this much, so that memory does not grow with the vocabulary.
constexpr std::size_t kBatchBytes = 24 << 20;
constexpr std::size_t kLargestBatch = 512;
constexpr std::size_t kSmallestBatch = 8;
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
    if (mechanism_.options_.mode == MaskedMode::one_pass)
      read(question, token);
    else
      places_.push_back(question.text->mask(mechanism_.input_, token, question.after, next_sequence()));
    questions_.push_back(question);
    return questions_.size() >= mechanism_.batch_ ? answer() : Result<void>();
  }

  Result<void> answer() {
    if (questions_.empty()) return {};
    const std::size_t size = mechanism_.model_->output_size();
    logits_.resize(questions_.size() * size);
    const std::span<float> logits(logits_);
    const auto sequences = std::span(sequences_).first(used_);
    if (mechanism_.options_.mode == MaskedMode::one_pass)
      SOTTO_TRY(mechanism_.model_->logits_at(sequences, std::span(shared_).first(used_), logits));
    else
      SOTTO_TRY(mechanism_.model_->logits(sequences, places_, logits));
    for (std::size_t i = 0; i < questions_.size(); i += kWeighed) SOTTO_TRY(draw(i, logits));
    const std::size_t draws = questions_.size();
    questions_.clear();
    places_.clear();
    used_ = 0;
    if (made_ && !made_(draws)) return fail(Errc::interrupted, "interrupted");
    return {};
  }

 private:
  void put(const Question& question, std::uint32_t word) const {
    MaskedOutput& output = question.document->outputs[question.number];
    (question.after ? output.added : output.word) = word;
    if (mechanism_.options_.mode != MaskedMode::sequential) return;
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
      first_pieces_ = question.text->read(window, next_sequence());
      window_ = window;
      if (shared_.size() < used_) shared_.emplace_back();
      shared_[used_ - 1].clear();
    }
    shared_[used_ - 1].push_back(first_pieces_[token - window.begin]);
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
        results[i] = mechanism_.weigh(*question.document, question.document->drawn[question.number],
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
  std::vector<std::uint32_t> first_pieces_;         // in it
  std::vector<float> logits_;
  std::vector<DrawWeights> weights_;
};

Result<std::shared_ptr<const MaskedMechanism>> MaskedMechanism::make(std::shared_ptr<const WordFiller> filler,
                                                                     const MaskedOptions& options,
                                                                     std::optional<LogitBounds> bounds,
                                                                     MaskedExtras extras) {
  SOTTO_ASSIGN(MaskedInput input, MaskedInput::make(*filler, options.with_original, options.window));
  std::shared_ptr<MaskedMechanism> mechanism(
      new MaskedMechanism(std::move(filler), options, std::move(input)));
  mechanism->extras_ = std::move(extras);
  SOTTO_TRY(mechanism->check_mode());
  SOTTO_TRY(mechanism->choose_law(bounds));
  const std::size_t row_bytes = sizeof(float) * mechanism->filler().model().output_size();
  mechanism->batch_ = std::clamp(kBatchBytes / row_bytes, kSmallestBatch, kLargestBatch);
  return mechanism;
}

Result<void> MaskedMechanism::check_mode() const {
  if (options_.mode != MaskedMode::one_pass) return {};
  if (!filler_->one_pass() || filler_->layout() != InputLayout::slots)
    return fail_parameter(
        "parameters.mode", "one-pass",
        "'one-pass' is not allowed; the model's config.json does not say that it was trained "
        "for it; give parallel or sequential");
  if (options_.addition > 0)
    return fail_parameter("parameters.addition", fmt::format("{}", options_.addition),
                          "cannot be above 0 in the mode one-pass, which has no place for an added word");
  if (!options_.with_original)
    return fail_parameter("parameters.context", "none",
                          "cannot be none in the mode one-pass, which reads nothing else");
  return {};
}

Result<void> MaskedMechanism::choose_law(std::optional<LogitBounds> bounds) {
  law_kind_ = options_.law.value_or(filler_->usual_law());
  SOTTO_TRY(law_kind_ == LawKind::balanced ? balance() : bound(bounds));
  if (!model_) model_ = {filler_, &filler_->model()};
  return {};
}

Result<void> MaskedMechanism::balance() {
  SOTTO_ASSIGN(model_, filler_->model().at_reach(options_.epsilon));
  if (!model_)
    return fail_parameter("parameters.law", "balanced",
                          "'balanced' is not allowed; the model's head is not made for it; give bounded");
  bounds_ = *model_->bounds();
  SOTTO_ASSIGN(BalancedLaw law, BalancedLaw::make(*model_->bounded_head(), options_.epsilon,
                                                  filler_->logits(), model_->log_base()));
  law_ = std::make_unique<const BalancedLaw>(std::move(law));
  return {};
}

Result<void> MaskedMechanism::bound(std::optional<LogitBounds> bounds) {
  SOTTO_ASSIGN(model_, filler_->model().at_epsilon(options_.epsilon));
  const MaskedModel& answering = model_ ? *model_ : filler_->model();
  if (!bounds) bounds = answering.bounds();
  if (!bounds)
    return fail(Errc::invalid_argument,
                base::format_message(
                    "the model's logits have no bounds, so nothing could be promised; estimate them on "
                    "public text with '{{0}}'"),
                {{"lm calibrate", {{"model", ""}, {"public_text", ""}}}});
  bounds_ = *bounds;
  double epsilon = options_.epsilon;
  // A model has nothing more to say beyond the reach it was trained with.
  if (const BoundedHead* head = answering.bounded_head())
    epsilon = std::min(epsilon, 2 * static_cast<double>(head->reach));
  SOTTO_ASSIGN(LogitLaw law, LogitLaw::make(bounds_, epsilon, filler_->logits(), answering.log_base()));
  law_ = std::make_unique<const LogitLaw>(std::move(law));
  return {};
}

/// What is done to the answers here is a function of the text, like the answers themselves, so the law's
/// guarantee covers it. Changes to the weights afterwards are not covered.
Result<void> MaskedMechanism::weigh(const MaskedDocument& document, std::size_t token,
                                    std::span<float> answers, LawMemory& memory, DrawWeights& out) const {
  const Token& place = document.tokens[token];
  const std::string_view original = document.text.substr(place.begin, place.end - place.begin);
  const bool balanced = law_kind_ == LawKind::balanced;
  float sharpness = 1;
  if (balanced) {
    const BoundedHead& head = *model_->bounded_head();
    sharpness = filler_->find(original) ? head.sharpness_known : head.sharpness_unknown;
  }
  if (extras_.similarity) {
    for (float& answer : answers) answer *= sharpness;
    sharpness = 1;
    SOTTO_TRY(extras_.similarity->apply(*filler_, document.text, document.tokens, token,
                                        balanced ? std::nullopt : std::optional(bounds_), answers));
  }
  std::vector<std::uint32_t> opposites;
  if (extras_.antonyms) {
    SOTTO_ASSIGN(opposites, extras_.antonyms->antonyms(original));
  }
  for (const std::uint32_t word : opposites) answers[filler_->logits()[word]] = std::numeric_limits<float>::lowest();
  SOTTO_TRY(law_->weigh({answers, sharpness}, memory, out));
  if (extras_.antonym_policy == AntonymPolicy::exclude && opposites.size() < law_->size())
    exclude(opposites, out);
  return {};
}

void MaskedMechanism::exclude(std::span<const std::uint32_t> words, DrawWeights& weights) const {
  std::vector<std::uint64_t> all;
  law_->spread(weights, all);
  for (const std::uint32_t word : words) all[word] = 0;
  weights = {{}, std::move(all), 0};
}

Result<void> MaskedMechanism::weights_of_token(std::string_view text, std::span<const Token> tokens,
                                               std::size_t token, std::vector<std::uint64_t>& out) const {
  MaskedDocument document;
  document.text = text;
  document.tokens = tokens;
  Sequence sequence;
  const MaskedText masked(*filler_, text, tokens);
  std::uint32_t place = 0;
  if (options_.mode == MaskedMode::one_pass) {
    const MaskedText::Window window = masked.window_of(input_, token);
    place = masked.read(window, sequence)[token - window.begin];
  } else {
    place = masked.mask(input_, token, false, sequence);
  }
  std::vector<float> answers(model_->output_size());
  SOTTO_TRY(model_->logits({&sequence, 1}, {&place, 1}, answers));
  LawMemory memory;
  DrawWeights drawn;
  SOTTO_TRY(weigh(document, token, answers, memory, drawn));
  law_->spread(drawn, out);
  return {};
}

Result<void> MaskedMechanism::weights_of_word(std::string_view word, std::vector<std::uint64_t>& out) const {
  std::vector<Token> tokens;
  tokenize(word, tokens);
  if (tokens.empty()) return fail(Errc::invalid_argument, fmt::format("'{}' is not a word", word));
  return weights_of_token(word, tokens, 0, out);
}

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
  return options_.mode == MaskedMode::sequential ? rewrite_in_turn(documents, made)
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

Guarantee MaskedMechanism::guarantee() const {
  Guarantee guarantee = law_->guarantee();
  guarantee.epsilon = options_.epsilon;
  const char* const how =
      law_kind_ == LawKind::balanced
          ? "weights that have one public total and lie between public bounds, their scores squashed to"
      : bounds_.by_architecture ? "logits that the model keeps in"
                                : "logits clipped to";
  guarantee.statement = fmt::format(
      "Each draw is epsilon-differentially private for its whole context, whatever two texts are compared; "
      "it is drawn among {} public words with {} [{:.6g}, {:.6g}]. Every draw reads the text, so the "
      "epsilons of all draws of a text add up even where two texts differ in one word.",
      law_->size(), how, bounds_.lowest, bounds_.highest);
  if (extras_.antonym_policy == AntonymPolicy::exclude) {
    guarantee.kind = GuaranteeKind::none;
    guarantee.rho = 0;
    guarantee.assumptions.clear();
    guarantee.statement =
        "Antonyms of a word cannot come out in its place, so the output tells which words did not stand "
        "there, whatever epsilon is; antonyms=demote makes them as unlikely as a guarantee allows.";
  }
  return guarantee;
}

}  // namespace sotto::lm
