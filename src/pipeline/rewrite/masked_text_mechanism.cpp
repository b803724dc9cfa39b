#include "pipeline/rewrite/masked_text_mechanism.hpp"

#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "lm/language_folder.hpp"
#include "pipeline/rewrite/masked_rewriter.hpp"

namespace sotto::pipeline {
namespace {

/// The value of a parameter that leaves the choice to the model.
constexpr const char* kAuto = "auto";

/// A probability of DP-MLM-plus. DP-MLM has no such parameter: it is DP-MLM-plus with both at 0.
Result<double> coin_probability(const ParameterValues& parameters, const std::string& name) {
  const auto coin = parameters.find(name);
  if (coin == parameters.end()) return 0.0;
  return read_number("parameters." + name, coin->second, 0, 1);
}

Result<lm::MaskedOptions> masked_options(double epsilon, const ParameterValues& parameters) {
  lm::MaskedOptions options;
  options.epsilon = epsilon;
  SOTTO_ASSIGN(const std::size_t context,
               read_choice("parameters.context", parameters.at("context"), {"concat", "none"}));
  options.with_original = context == 0;
  if (parameters.at("mode") != kAuto) {
    SOTTO_ASSIGN(options.mode, lm::parse_masked_mode("parameters.mode", parameters.at("mode")));
  }
  SOTTO_ASSIGN(const std::size_t law,
               read_choice("parameters.law", parameters.at("law"), {"auto", "bounded", "balanced"}));
  if (law != 0) options.law = law == 1 ? lm::LawKind::bounded : lm::LawKind::balanced;
  if (parameters.at("wander") != kAuto) {
    SOTTO_ASSIGN(options.wander, read_number("parameters.wander", parameters.at("wander"), 0, 1));
  }
  SOTTO_ASSIGN(options.window, read_integer("parameters.window", parameters.at("window"), 0, 1'000'000));
  SOTTO_ASSIGN(options.addition, coin_probability(parameters, "addition"));
  SOTTO_ASSIGN(options.deletion, coin_probability(parameters, "deletion"));
  return options;
}

}  // namespace

Result<std::shared_ptr<const MaskedTextMechanism>> MaskedTextMechanism::make(
    const MechanismInfo& info, const PrivatizeOptions& options, const ParameterValues& parameters) {
  auto made = std::make_shared<MaskedTextMechanism>(options);
  SOTTO_TRY(made->open(info, parameters));
  return made;
}

std::unique_ptr<TextRewriter> MaskedTextMechanism::make_rewriter() const {
  return std::make_unique<MaskedRewriter>(*this);
}

Result<ModelDraw> MaskedTextMechanism::open_model(const MechanismInfo&, const ParameterValues& parameters) {
  SOTTO_ASSIGN(lm::MaskedOptions masked, masked_options(options().mechanism.epsilon, parameters));
  masked.threads = base::thread_count(options().language.threads);
  SOTTO_ASSIGN(const auto filler, lm::WordFiller::open(folder_, options().language));
  const bool bounded = filler->model().bounds().has_value();
  if (bounded) calibration_.reset();
  if (!bounded && !calibration_) return no_bounds();
  std::optional<lm::LogitBounds> bounds;
  if (calibration_) bounds = calibration_->bounds;
  SOTTO_ASSIGN(lm::MaskedExtras extras, open_extras(parameters, *filler));
  SOTTO_ASSIGN(mechanism_, lm::MaskedMechanism::make(filler, masked, bounds, std::move(extras)));
  display_ = DisplayWords(filler->words(), spelling());
  return ModelDraw{mechanism_->guarantee(),
                   mechanism_->bounds(),
                   mechanism_->law_kind(),
                   filler->words().size(),
                   lm::to_string(mechanism_->mode()),
                   mechanism_->wander(),
                   mechanism_->drawn_by_model()};
}

Result<lm::MaskedExtras> MaskedTextMechanism::open_extras(const ParameterValues& parameters,
                                                          const lm::WordFiller& filler) {
  lm::MaskedExtras extras;
  SOTTO_ASSIGN(const std::size_t antonyms,
               read_choice("parameters.antonyms", parameters.at("antonyms"), {"keep", "demote", "exclude"}));
  extras.antonym_policy = static_cast<lm::AntonymPolicy>(antonyms);
  if (extras.antonym_policy != lm::AntonymPolicy::keep) {
    SOTTO_ASSIGN(extras.antonyms, lm::AntonymFilter::open(filler.words(), parameters.at("wordnet")));
    law_["wordnet"] = extras.antonyms->digest();
  }
  if (parameters.at("alpha") == "off") return extras;
  auto alpha = read_number("parameters.alpha", parameters.at("alpha"), 1e-6, 1e6);
  if (!alpha) alpha.error().message += " or off";
  SOTTO_ASSIGN(const double weight, std::move(alpha));
  SOTTO_ASSIGN(const auto folder, find_language_model(parameters.at("encoder")));
  SOTTO_ASSIGN(law_["encoder"], lm::folder_digest(folder));
  SOTTO_ASSIGN(lm::LanguageModelBackend* const backend,
               lm::language_model_backend(lm::ModelUse::sentence, folder, options().language));
  SOTTO_ASSIGN(law_["encoder.arithmetic"], backend->arithmetic(options().language));
  SOTTO_ASSIGN(const auto encoder, lm::SentenceEncoder::open(folder, options().language));
  extras.similarity = std::make_shared<const lm::ContextSimilarity>(encoder, weight);
  return extras;
}

}  // namespace sotto::pipeline
