#include "pipeline/rewrite/language_mechanism.hpp"

#include <limits>

#include <fmt/format.h>

#include <sotto/document_guarantee.hpp>
#include <sotto/model.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "lm/language_folder.hpp"

namespace sotto {
namespace {

Result<void> check_options(const PrivatizeOptions& options, const MechanismInfo& info) {
  if (options.document_budget)
    return fail_parameter("document_epsilon", "",
                          format_message("{} takes {{epsilon}}, for each draw", info.name));
  if (options.collocations != Segmentation::none)
    return fail_parameter("collocations", to_string(options.collocations),
                          fmt::format("{} draws single words", info.name));
  if (options.target == PrivacyTarget::certified)
    return fail_parameter("target", "certified",
                          fmt::format("'certified' is for tables of words; {} has none", info.name));
  return {};
}

/// A text that is rewritten as a whole has no tokens that could be kept.
Result<void> check_whole_policy(const Policy& policy, const MechanismInfo& info) {
  const auto has_no_part = [&](std::string_view part, std::string_view value) {
    return fail_parameter(part, value,
                          fmt::format("'{}' is not allowed; {} rewrites the whole text", value, info.name));
  };
  if (policy.stopwords != StopwordPolicy::privatize)
    return has_no_part("stopwords", to_string(policy.stopwords));
  if (policy.oov != OovPolicy::bottom) return has_no_part("oov", to_string(policy.oov));
  if (policy.numbers != NumberPolicy::random) return has_no_part("numbers", to_string(policy.numbers));
  if (policy.punctuation != PunctuationPolicy::keep)
    return has_no_part("punctuation", to_string(policy.punctuation));
  if (policy.letter_case == CasePolicy::keep) return has_no_part("case", to_string(policy.letter_case));
  return {};
}

Result<MlmOptions> mlm_options(double epsilon, const ParameterValues& parameters) {
  MlmOptions options;
  options.epsilon = epsilon;
  SOTTO_ASSIGN(const std::size_t context,
               read_choice("parameters.context", parameters.at("context"), {"concat", "none"}));
  options.with_original = context == 0;
  SOTTO_ASSIGN(const std::size_t mode,
               read_choice("parameters.mode", parameters.at("mode"), {"parallel", "sequential"}));
  options.sequential = mode == 1;
  SOTTO_ASSIGN(const std::size_t law,
               read_choice("parameters.law", parameters.at("law"), {"auto", "bounded", "balanced"}));
  if (law != 0) options.law = law == 1 ? LawKind::bounded : LawKind::balanced;
  SOTTO_ASSIGN(options.window, read_integer("parameters.window", parameters.at("window"), 0, 1'000'000));
  if (!parameters.contains("addition")) return options;
  SOTTO_ASSIGN(options.addition, read_number("parameters.addition", parameters.at("addition"), 0, 1));
  SOTTO_ASSIGN(options.deletion, read_number("parameters.deletion", parameters.at("deletion"), 0, 1));
  return options;
}

Result<MlmExtras> mlm_extras(const PrivatizeOptions& options, const ParameterValues& parameters,
                             const WordFiller& filler, std::map<std::string, std::string>& law) {
  MlmExtras extras;
  SOTTO_ASSIGN(const std::size_t antonyms,
               read_choice("parameters.antonyms", parameters.at("antonyms"), {"keep", "demote", "exclude"}));
  extras.antonym_policy = static_cast<AntonymPolicy>(antonyms);
  if (extras.antonym_policy != AntonymPolicy::keep) {
    SOTTO_ASSIGN(extras.antonyms, AntonymFilter::open(filler.words(), parameters.at("wordnet")));
    law["wordnet"] = extras.antonyms->digest();
  }
  if (parameters.at("alpha") == "off") return extras;
  auto alpha = read_number("parameters.alpha", parameters.at("alpha"), 1e-6, 1e6);
  if (!alpha) alpha.error().message += " or off";
  SOTTO_ASSIGN(const double weight, std::move(alpha));
  SOTTO_ASSIGN(const auto folder, find_language_model(parameters.at("encoder")));
  SOTTO_ASSIGN(law["encoder"], folder_digest(folder));
  SOTTO_ASSIGN(const auto encoder, SentenceEncoder::open(folder, options.language));
  extras.similarity = std::make_shared<const ContextSimilarity>(encoder, weight);
  return extras;
}

Result<GenerationOptions> generation_options(double epsilon, const ParameterValues& parameters) {
  GenerationOptions options;
  options.epsilon = epsilon;
  const std::string& length = parameters.at("length");
  if (length == "input") return options;
  if (const auto number = read_integer("", length, 1, 1'000'000)) {
    options.length = *number;
    return options;
  }
  return not_allowed("parameters.length", length, "input or a number from 1 to 1000000");
}

tl::unexpected<Error> no_bounds(const std::filesystem::path& folder) {
  return fail(Errc::not_found,
              format_message("{}: the model's logits have no bounds, so nothing could be promised; estimate "
                             "them on public text with '{{0}}'",
                             folder.string()),
              {{"lm calibrate", {{"model", folder.string()}, {"public_text", ""}}}});
}

Result<void> make_masked(const PrivatizeOptions& options, const ParameterValues& parameters,
                         LanguageMechanism& made) {
  SOTTO_ASSIGN(const MlmOptions mlm, mlm_options(options.mechanism.epsilon, parameters));
  SOTTO_ASSIGN(const auto filler, WordFiller::open(made.folder, options.language));
  SOTTO_ASSIGN(const auto own_bounds, filler->bounds_at(options.mechanism.epsilon));
  const bool bounded = own_bounds.has_value();
  if (bounded) made.calibration.reset();
  if (!bounded && !made.calibration) return no_bounds(made.folder);
  std::optional<LogitBounds> bounds;
  if (made.calibration) bounds = made.calibration->bounds;
  SOTTO_ASSIGN(MlmExtras extras, mlm_extras(options, parameters, *filler, made.law));
  SOTTO_ASSIGN(made.masked, MlmMechanism::make(filler, mlm, bounds, std::move(extras)));
  return {};
}

Result<void> make_generation(const PrivatizeOptions& options, const MechanismInfo& info,
                             const ParameterValues& parameters, LanguageMechanism& made) {
  SOTTO_TRY(check_whole_policy(options.policy, info));
  SOTTO_ASSIGN(const GenerationOptions generation, generation_options(options.mechanism.epsilon, parameters));
  const std::string& prompt = parameters.at("prompt");
  SOTTO_ASSIGN(const auto writer, TextWriter::open(made.folder, options.language,
                                                   prompt == "auto" ? std::string_view() : prompt));
  const bool wants_answers = info.name == "dp-prompt";
  if (writer->model().answers() != wants_answers)
    return fail_parameter(
        "model", options.mechanism.model,
        fmt::format("'{}' is not for {}; it needs {}", made.folder.string(), info.name,
                    wants_answers ? "an encoder-decoder such as T5" : "a causal model such as GPT-2"));
  if (!made.calibration) return no_bounds(made.folder);
  SOTTO_ASSIGN(made.generation, GenerationMechanism::make(writer, generation, made.calibration->bounds));
  return {};
}

}  // namespace

Result<std::shared_ptr<const LanguageMechanism>> LanguageMechanism::make(const PrivatizeOptions& options,
                                                                         const MechanismInfo& info,
                                                                         const ParameterValues& parameters) {
  SOTTO_TRY(check_options(options, info));
  SOTTO_TRY(check_epsilon("epsilon", options.mechanism.epsilon));
  auto made = std::make_shared<LanguageMechanism>();
  const std::string& model = options.mechanism.model;
  SOTTO_ASSIGN(made->folder, find_language_model(model.empty() ? info.default_model : model));
  SOTTO_ASSIGN(made->digest, folder_digest(made->folder));
  SOTTO_ASSIGN(made->calibration, read_calibration(made->folder, made->digest));
  if (parameters.contains("mode"))
    SOTTO_TRY(make_masked(options, parameters, *made));
  else
    SOTTO_TRY(make_generation(options, info, parameters, *made));
  SOTTO_ASSIGN(LanguageModelBackend* const backend, language_model_backend());
  SOTTO_ASSIGN(made->law["arithmetic"], backend->arithmetic(options.language));
  return made;
}

const LogitBounds& LanguageMechanism::bounds() const {
  return masked ? masked->bounds() : generation->bounds();
}

Guarantee LanguageMechanism::guarantee(const Policy& policy) const {
  return guarantee_for_texts(masked ? masked->guarantee() : generation->guarantee(),
                             {.view = masked ? TextView::masked : TextView::written, .policy = policy});
}

LanguageModelReceipt LanguageMechanism::receipt(const PrivatizeOptions& options) const {
  LanguageModelReceipt receipt;
  receipt.device = to_string(options.language.device);
  receipt.precision = to_string(options.language.precision);
  receipt.lowest_logit = bounds().lowest;
  receipt.highest_logit = bounds().highest;
  receipt.bounded_by_architecture = bounds().by_architecture;
  if (calibration) receipt.calibration_text = calibration->text_digest;
  receipt.law = to_string(masked ? masked->law_kind() : LawKind::bounded);
  receipt.outcomes = masked ? masked->filler().words().size() : generation->writer().outcomes().size();
  receipt.whole_text = generation != nullptr;
  receipt.delta = options.delta;
  return receipt;
}

Result<void> check_calibration(const LanguageMechanism& mechanism,
                               std::span<const std::filesystem::path> inputs) {
  if (!mechanism.calibration) return {};
  for (const std::filesystem::path& input : inputs) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(input, ignored)) continue;
    SOTTO_ASSIGN(const MappedFile file, MappedFile::open(input));
    const std::string_view content(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    if (to_hex(sha256(content)) == mechanism.calibration->text_digest)
      return fail(
          Errc::invalid_argument,
          fmt::format("{}: the bounds of the model were estimated on this very file, so they would reveal "
                      "something about it; calibrate on public text",
                      input.string()));
  }
  return {};
}

}  // namespace sotto
