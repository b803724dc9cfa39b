#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <sotto/attack.hpp>
#include <sotto/tokenizer.hpp>

#include "audit/estimate.hpp"
#include "base/checked_value.hpp"
#include "base/stopwatch.hpp"
#include "base/work_meter.hpp"
#include "lm/masked_input.hpp"
#include "text/letter_case.hpp"

namespace sotto {
using namespace audit;
namespace {

constexpr std::size_t kBatch = 64;

/// The positions of the tokens that count as words.
std::vector<std::size_t> word_places(const std::vector<Token>& tokens) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].token_class == TokenClass::word || tokens[i].token_class == TokenClass::other)
      places.push_back(i);
  return places;
}

std::string form_of(const std::string& text, const Token& token) {
  return text::lookup_form(std::string_view(text).substr(token.begin, token.end - token.begin));
}

/// Counts how often the model is right.
class Adversary {
 public:
  Adversary(const lm::WordFiller& filler, lm::MaskedInput input, std::size_t candidates)
      : filler_(filler), input_(std::move(input)), candidates_(candidates) {}

  Result<void> attack(const std::string& original, const std::string& privatized) {
    std::vector<Token> before, after;
    tokenize(original, before);
    tokenize(privatized, after);
    const std::vector<std::size_t> from = word_places(before);
    const std::vector<std::size_t> to = word_places(after);
    if (from.size() != to.size()) {
      ++lines_left_out_;
      return {};
    }
    const lm::MaskedText text(filler_, privatized, after);
    for (std::size_t i = 0; i < from.size(); ++i) {
      Place place{form_of(original, before[from[i]]), false};
      place.changed = place.original != form_of(privatized, after[to[i]]);
      ++frequencies_[place.original];
      masked_.push_back(text.mask(input_, to[i], false, sequences_.emplace_back()));
      places_.push_back(std::move(place));
      if (places_.size() == kBatch) SOTTO_TRY(answer());
    }
    return {};
  }

  Result<void> answer() {
    if (places_.empty()) return {};
    const std::size_t size = filler_.model().output_size();
    logits_.resize(places_.size() * size);
    SOTTO_TRY(filler_.model().logits(sequences_, masked_, logits_));
    for (std::size_t i = 0; i < places_.size(); ++i)
      count(places_[i], std::span<const float>(logits_).subspan(i * size, size));
    places_.clear();
    sequences_.clear();
    masked_.clear();
    return {};
  }

  MaskInferenceReport report(double confidence) const {
    MaskInferenceReport report;
    report.lines_left_out = lines_left_out_;
    report.places = total_;
    report.sayable = sayable_;
    report.changed = changed_;
    report.candidates = candidates_;
    report.vocabulary = filler_.logits().size();
    report.confidence = confidence;
    report.success = share_of_trials(right_, total_, confidence);
    report.success_among = share_of_trials(among_, total_, confidence);
    if (changed_ > 0) report.success_changed = share_of_trials(right_changed_, changed_, confidence);
    if (total_ == 0) return report;
    std::uint64_t most = 0;
    for (const auto& [word, times] : frequencies_) most = std::max(most, times);
    report.kept = 1 - static_cast<double>(changed_) / static_cast<double>(total_);
    report.blind = static_cast<double>(most) / static_cast<double>(total_);
    return report;
  }

 private:
  struct Place {
    std::string original;
    bool changed;
  };

  /// The rank of the original among all words decides; ties are broken against the adversary.
  void count(const Place& place, std::span<const float> logits) {
    ++total_;
    changed_ += place.changed ? 1 : 0;
    const auto word = filler_.find(place.original);
    if (!word) return;
    ++sayable_;
    const float own = logits[filler_.logits()[*word]];
    std::size_t better = 0;
    for (std::size_t i = 0; i < filler_.logits().size(); ++i)
      better += i != *word && logits[filler_.logits()[i]] >= own ? 1 : 0;
    among_ += better < candidates_ ? 1 : 0;
    if (better > 0) return;
    ++right_;
    right_changed_ += place.changed ? 1 : 0;
  }

  const lm::WordFiller& filler_;
  lm::MaskedInput input_;
  std::size_t candidates_;
  std::vector<Place> places_;
  std::vector<lm::Sequence> sequences_;
  std::vector<std::uint32_t> masked_;
  std::vector<float> logits_;
  std::map<std::string, std::uint64_t> frequencies_;
  std::uint64_t lines_left_out_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t sayable_ = 0;
  std::uint64_t changed_ = 0;
  std::uint64_t right_ = 0;
  std::uint64_t among_ = 0;
  std::uint64_t right_changed_ = 0;
};

Result<void> check(const std::vector<std::string>& original, const std::vector<std::string>& privatized,
                   const MaskInferenceOptions& options) {
  if (original.size() != privatized.size())
    return fail_parameter("privatized", "",
                          fmt::format("{} lines cannot belong to {} originals, line by line",
                                      privatized.size(), original.size()));
  if (options.candidates < 1 || options.candidates > 1000)
    return base::not_allowed("neighbours", options.candidates, "a whole number from 1 to 1000");
  if (options.confidence >= 0.5 && options.confidence < 1) return {};
  return base::not_allowed("confidence", options.confidence, "a number from 0.5 to below 1");
}

}  // namespace

Result<MaskInferenceReport> infer_masked_words(const std::vector<std::string>& original,
                                               const std::vector<std::string>& privatized,
                                               const MaskInferenceOptions& options) {
  const base::Stopwatch watch;
  SOTTO_TRY(check(original, privatized, options));
  SOTTO_ASSIGN(const auto folder, find_language_model(options.model));
  SOTTO_ASSIGN(const auto filler, lm::WordFiller::open(folder, options.resources));
  SOTTO_ASSIGN(lm::MaskedInput input, lm::MaskedInput::make(*filler, false, 0));
  Adversary adversary(*filler, std::move(input), options.candidates);
  for (std::size_t i = 0; i < original.size(); ++i) {
    SOTTO_TRY(adversary.attack(original[i], privatized[i]));
    SOTTO_TRY(base::report_progress(options.progress, i + 1, original.size()));
  }
  SOTTO_TRY(adversary.answer());
  MaskInferenceReport report = adversary.report(options.confidence);
  report.model = std::filesystem::weakly_canonical(folder).filename().string();
  report.lines = original.size();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace sotto
