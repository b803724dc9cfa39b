#include "lm/masked_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked_value.hpp"
#include "base/message.hpp"
#include "lm/balanced_law.hpp"
#include "lm/float_mode.hpp"
#include "lm/logit_law.hpp"

namespace sotto::lm {
namespace {

// A batch's logits take at most this much, so that memory does not grow with the vocabulary.
constexpr std::size_t kBatchBytes = 24 << 20;
constexpr std::size_t kLargestBatch = 512;
constexpr std::size_t kSmallestBatch = 8;
// A GPU is busy with thousands of places, and their logits do not leave it.
constexpr std::size_t kModelBatch = 1 << 14;

}  // namespace

Result<std::shared_ptr<const MaskedMechanism>> MaskedMechanism::make(std::shared_ptr<const WordFiller> filler,
                                                                     const MaskedOptions& options,
                                                                     std::optional<LogitBounds> bounds,
                                                                     MaskedExtras extras) {
  SOTTO_ASSIGN(MaskedInput input, MaskedInput::make(*filler, options.with_original, options.window));
  std::shared_ptr<MaskedMechanism> mechanism(
      new MaskedMechanism(std::move(filler), options, std::move(input)));
  mechanism->extras_ = std::move(extras);
  SOTTO_TRY(mechanism->choose_mode());
  SOTTO_TRY(mechanism->choose_wander());
  SOTTO_TRY(mechanism->choose_law(bounds));
  const std::size_t row_bytes = sizeof(float) * mechanism->filler().model().output_size();
  mechanism->batch_ = mechanism->drawn_by_model()
                          ? kModelBatch
                          : std::clamp(kBatchBytes / row_bytes, kSmallestBatch, kLargestBatch);
  return mechanism;
}

Result<void> MaskedMechanism::choose_mode() {
  const std::vector<MaskedMode>& modes = filler_->modes();
  mode_ = options_.mode.value_or(modes.front());
  if (std::find(modes.begin(), modes.end(), mode_) == modes.end()) {
    std::vector<const char*> names;
    names.reserve(modes.size());
    for (const MaskedMode mode : modes) names.push_back(to_string(mode));
    return base::not_allowed("parameters.mode", to_string(mode_),
                             fmt::format("{}, which the model was made for", fmt::join(names, " or ")));
  }
  if (mode_ != MaskedMode::one_pass) return {};
  if (!options_.with_original)
    return fail_parameter("parameters.context", "none",
                          "cannot be none in the mode one-pass, which reads nothing else");
  return {};
}

Result<void> MaskedMechanism::choose_wander() {
  const std::optional<double> usual = filler_->model().usual_wander();
  if (options_.wander && !usual)
    return fail_parameter(
        "parameters.wander", fmt::format("{}", *options_.wander),
        fmt::format("'{}' is not allowed; the model's words do not wander; leave it out", *options_.wander));
  wander_ = options_.wander ? options_.wander : usual;
  return {};
}

Result<void> MaskedMechanism::choose_law(std::optional<LogitBounds> bounds) {
  law_kind_ = options_.law.value_or(filler_->usual_law());
  SOTTO_TRY(law_kind_ == LawKind::balanced ? balance() : bound(bounds));
  if (!model_) model_ = {filler_, &filler_->model()};
  return {};
}

Result<void> MaskedMechanism::balance() {
  SOTTO_ASSIGN(model_, filler_->model().at_reach(options_.epsilon, wander_.value_or(0)));
  if (!model_)
    return fail_parameter("parameters.law", "balanced",
                          "'balanced' is not allowed; the model's head is not made for it; give bounded");
  bounds_ = *model_->bounds();
  SOTTO_ASSIGN(BalancedLaw law, BalancedLaw::make(*model_->bounded_head(), options_.epsilon,
                                                  filler_->logits(), model_->log_base()));
  auto balanced = std::make_unique<const BalancedLaw>(std::move(law));
  SOTTO_TRY(hand_over(*balanced));
  law_ = std::move(balanced);
  return {};
}

/// What else changes scores or weights needs them here.
Result<void> MaskedMechanism::hand_over(const BalancedLaw& law) {
  if (extras_.similarity || extras_.antonyms) return {};
  if (!options_.drawn_by_model.value_or(model_->prefers_to_draw())) return {};
  SOTTO_ASSIGN(drawer_, model_->drawer(law.public_numbers()));
  total_ = law.total();
  return {};
}

Result<void> MaskedMechanism::bound(std::optional<LogitBounds> bounds) {
  // Half of ε: the normalizer of an exponential mechanism may change as much as the weights.
  SOTTO_ASSIGN(model_, filler_->model().at_reach(options_.epsilon / 2, wander_.value_or(0)));
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

float MaskedMechanism::sharpness(bool known) const {
  const BoundedHead& head = *model_->bounded_head();
  return known ? head.sharpness_known : head.sharpness_unknown;
}

void MaskedMechanism::lower_own(std::uint32_t own, std::span<float> scores) const {
  const OwnPenalty penalty = model_->own_penalty();
  if (penalty.of_word.empty()) return;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (penalty.group[i] == penalty.group[own]) scores[i] -= penalty.of_word[own];
}

/// What is done to the answers here is a function of the text, like the answers themselves, so the law's
/// guarantee covers it. Changes to the weights afterwards are not covered.
Result<void> MaskedMechanism::weigh(const Place& place, std::span<float> answers, LawMemory& memory,
                                    DrawWeights& out) const {
  const bool balanced = law_kind_ == LawKind::balanced;
  const std::optional<std::uint32_t> own = filler_->find(place.original);
  const FloatMode mode;
  if (own) lower_own(filler_->logits()[*own], answers);
  float factor = balanced ? sharpness(own.has_value()) : 1;
  if (!balanced && model_->bounded_head() != nullptr) squash_all(*model_->bounded_head(), answers);
  if (extras_.similarity) {
    for (float& answer : answers) answer *= factor;
    factor = 1;
    SOTTO_TRY(extras_.similarity->apply(*filler_, place.document.text, place.document.tokens, place.token,
                                        balanced ? std::nullopt : std::optional(bounds_), answers));
  }
  std::vector<std::uint32_t> opposites;
  if (extras_.antonyms) {
    SOTTO_ASSIGN(opposites, extras_.antonyms->antonyms(place.original));
  }
  for (const std::uint32_t word : opposites)
    answers[filler_->logits()[word]] = std::numeric_limits<float>::lowest();
  SOTTO_TRY(law_->weigh({answers, factor}, memory, out));
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
  if (mode_ == MaskedMode::one_pass) {
    const MaskedText::Window window = masked.window_of(input_, token);
    place = masked.read(window, sequence).words[token - window.begin];
  } else {
    place = masked.mask(input_, token, false, sequence);
  }
  std::vector<float> answers(model_->output_size());
  SOTTO_TRY(model_->logits({&sequence, 1}, {&place, 1}, answers));
  LawMemory memory;
  DrawWeights drawn;
  SOTTO_TRY(weigh({document, token, document.original(token)}, answers, memory, drawn));
  law_->spread(drawn, out);
  return {};
}

Result<void> MaskedMechanism::weights_of_word(std::string_view word, std::vector<std::uint64_t>& out) const {
  std::vector<Token> tokens;
  tokenize(word, tokens);
  if (tokens.empty()) return fail(Errc::invalid_argument, fmt::format("'{}' is not a word", word));
  return weights_of_token(word, tokens, 0, out);
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
