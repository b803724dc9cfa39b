#include "pipeline/rewrite/language_text_mechanism.hpp"

#include <fmt/format.h>

#include <sotto/document_guarantee.hpp>

#include "base/checked_value.hpp"
#include "base/compressed_input.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "lm/language_folder.hpp"

namespace sotto::pipeline {
namespace {

// A language model takes seconds for this much; an interrupted run loses at most that.
constexpr std::size_t kLanguageChunk = 16 << 10;
// If the model draws, it takes less than a second for this much, in several full batches.
constexpr std::size_t kDrawnByModelChunk = 512 << 10;

Result<void> check_language_options(const PrivatizeOptions& options, const MechanismInfo& info) {
  if (!(options.delta > 0 && options.delta < 1))
    return base::not_allowed("delta", options.delta, "a number between 0 and 1");
  if (options.document_budget)
    return fail_parameter("document_epsilon", "",
                          base::format_message("{} takes {{epsilon}}, for each draw", info.name));
  if (options.collocations != Segmentation::none)
    return fail_parameter("collocations", to_string(options.collocations),
                          fmt::format("{} draws single words", info.name));
  if (options.target == PrivacyTarget::certified)
    return fail_parameter("target", "certified",
                          fmt::format("'certified' is for tables of words; {} has none", info.name));
  SOTTO_TRY(check_epsilon("epsilon", options.mechanism.epsilon));
  return {};
}

/// Of the text itself: compressed or in another encoding, it is the same.
Result<base::Sha256Digest> content_digest(const std::filesystem::path& file,
                                          const base::TextEncoding& encoding) {
  SOTTO_ASSIGN(const auto stream, base::InputStream::open(file, {encoding, {}}));
  std::vector<char> block(1 << 18);
  base::Sha256 hash;
  for (;;) {
    SOTTO_ASSIGN(const std::size_t got, stream->read(block.data(), block.size()));
    if (got == 0) return hash.finish();
    hash.update({block.data(), got});
  }
}

}  // namespace

Result<void> LanguageTextMechanism::open(const MechanismInfo& info, const ParameterValues& parameters) {
  SOTTO_TRY(check_language_options(options(), info));
  const std::string& model = options().mechanism.model;
  if (model.empty() && info.default_model.empty())
    return fail_parameter("model", "",
                          fmt::format("missing; {} needs a model that you bring: give the folder of an "
                                      "encoder-decoder such as flan-t5-base",
                                      info.name));
  SOTTO_ASSIGN(folder_, find_language_model(model.empty() ? info.default_model : model));
  SOTTO_ASSIGN(digest_, lm::folder_digest(folder_));
  SOTTO_ASSIGN(calibration_, lm::read_calibration(folder_, digest_));
  SOTTO_TRY(open_word_forms());
  SOTTO_ASSIGN(draw_, open_model(info, parameters));
  const auto use = kind() == MechanismKind::masked ? lm::ModelUse::masked : lm::ModelUse::causal;
  SOTTO_ASSIGN(lm::LanguageModelBackend* const backend,
               lm::language_model_backend(use, folder_, options().language));
  SOTTO_ASSIGN(law_["arithmetic"], backend->arithmetic(options().language));
  precision_ = lm::precision_used(*backend, options().language);
  anywhere_ = backend == &lm::engine_backend();
  if (draw_.by_model) law_["drawn"] = fmt::format("by the model, version {}", lm::kWordDrawerVersion);
  return {};
}

tl::unexpected<Error> LanguageTextMechanism::no_bounds() const {
  return fail(
      Errc::not_found,
      base::format_message("{}: the model's logits have no bounds, so nothing could be promised; estimate "
                           "them on public text with '{{0}}'",
                           folder_.string()),
      {{"lm calibrate", {{"model", folder_.string()}, {"public_text", ""}}}});
}

/// If the policy lets words decide which places are drawn, the places reveal something about the words, and
/// nothing is guaranteed.
Guarantee LanguageTextMechanism::guarantee(const Counts&) const {
  return guarantee_for_texts(draw_.guarantee, {.kind = kind(), .policy = options().policy});
}

void LanguageTextMechanism::add_to(random::CanonicalConfiguration& configuration) const {
  configuration.add("epsilon", options().mechanism.epsilon);
  // Different arithmetic may round to a different word, so it gets other noise: a re-run is a new spend.
  configuration.add("device", to_string(options().language.device));
  configuration.add("precision", to_string(precision_));
  configuration.add("logits.lowest", static_cast<double>(draw_.bounds.lowest));
  configuration.add("logits.highest", static_cast<double>(draw_.bounds.highest));
  configuration.add("law.version", lm::kLawVersion);
  for (const auto& [name, value] : law_) configuration.add("law." + name, value);
}

void LanguageTextMechanism::add_to(Receipt& receipt) const {
  receipt.epsilon = options().mechanism.epsilon;
  LanguageModelReceipt& model = receipt.language_model.emplace();
  model.device = to_string(options().language.device);
  model.precision = to_string(precision_);
  model.law = lm::to_string(draw_.law);
  model.mode = draw_.mode;
  model.wander = draw_.wander;
  model.lowest_logit = draw_.bounds.lowest;
  model.highest_logit = draw_.bounds.highest;
  model.bounded_by_architecture = draw_.bounds.by_architecture;
  if (calibration_) model.calibration_text = calibration_->text_digest;
  model.outcomes = draw_.outcomes;
  model.delta = options().delta;
  model.same_everywhere = anywhere_;
}

Result<void> LanguageTextMechanism::check_inputs(std::span<const std::filesystem::path> inputs,
                                                 const base::TextEncoding& encoding) const {
  if (!calibration_) return {};
  for (const std::filesystem::path& input : inputs) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(input, ignored)) continue;
    SOTTO_ASSIGN(const base::Sha256Digest digest, content_digest(input, encoding));
    if (base::to_hex(digest) == calibration_->text_digest)
      return fail(
          Errc::invalid_argument,
          fmt::format("{}: the bounds of the model were estimated on this very text, so they would reveal "
                      "something about it; calibrate on public text",
                      input.string()));
  }
  return {};
}

std::size_t LanguageTextMechanism::chunk_bytes(bool) const {
  return draw_.by_model ? kDrawnByModelChunk : kLanguageChunk;
}

/// A language model is itself multithreaded; a GPU waits for threads that prepare texts and write them.
unsigned LanguageTextMechanism::threads(unsigned requested) const {
  return draw_.by_model ? base::thread_count(requested) : 1;
}

}  // namespace sotto::pipeline
