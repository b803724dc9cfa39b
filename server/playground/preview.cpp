#include "playground/preview.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <sotto/model.hpp>
#include <sotto/model_names.hpp>

#include "playground/preview_privatizers.hpp"

namespace sotto::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostOpen = 16;  // a curve and what is beside it; each holds tens of megabytes
// How long a request goes on before it leaves the rest pending, and how long it waits while others open
// mechanisms.
constexpr milliseconds kWorkingTime{1'500};
constexpr milliseconds kWaitingTime{4'000};
constexpr std::uint64_t kMeasuredWords = 400;
constexpr std::uint64_t kMostMeasuredDraws = 8;

Result<void> check_text(const PreviewRequest& request, MechanismKind kind) {
  if (!is_valid_utf8(request.text)) return fail_parameter("text", "", "the text must be valid UTF-8");
  if (request.text.find('\0') != std::string::npos)
    return fail_parameter("text", "", "the text must not have NUL characters");
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(request.text, [](char c) { return (c & 0xC0) != 0x80; }));
  const bool generated = kind == MechanismKind::generated;
  const std::size_t most = generated ? kMostGeneratedCharacters : kMostPreviewCharacters;
  if (characters > most)
    return fail_parameter("text", "",
                          fmt::format("a preview takes up to {} characters{}, not {}", most,
                                      generated ? " with this mechanism" : "", characters),
                          Errc::limit);
  return {};
}

/// Parameters and models come from whoever reached the page, so none may name a file.
Result<void> check_names(const MechanismSpec& spec) {
  if (spec.name == "gumbel")
    return fail_parameter("mechanism", spec.name,
                          "has no preview: it prepares itself for half a minute at each epsilon");
  for (const auto& [name, value] : spec.parameters)
    if (name == "wordnet" || value.find('/') != std::string::npos)
      return fail_parameter("parameters." + name, value, "a preview takes no parameter that names a file");
  const auto is_listed = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, spec.model) != names.end();
  };
  if (!is_listed(model_names()) && !is_listed(language_model_names()))
    return fail_parameter("model", spec.model, "must be the name of an installed model", Errc::not_found);
  return {};
}

Result<std::vector<double>> checked_epsilons(const std::vector<double>& given) {
  if (given.empty() || given.size() > kMostPreviewEpsilons)
    return fail_parameter("epsilons", fmt::format("{}", given.size()),
                          fmt::format("there must be 1 to {} of them", kMostPreviewEpsilons));
  std::vector<double> epsilons;
  for (const double epsilon : given) {
    SOTTO_ASSIGN(epsilons.emplace_back(), preview_epsilon(epsilon));
  }
  return epsilons;
}

/// Which words a policy keeps because the model does not have them. A language model does not say; there, a
/// word that came out as it went in counts as kept.
class OutsideWords {
 public:
  static Result<OutsideWords> make(const PrivatizeOptions& options, MechanismKind kind) {
    OutsideWords words;
    words.kept_ = options.policy.oov == OovPolicy::keep;
    if (!words.kept_ || kind != MechanismKind::word_by_word) return words;
    SOTTO_ASSIGN(const std::filesystem::path file, find_model(options.mechanism));
    SOTTO_ASSIGN(words.model_, Model::open(file));
    return words;
  }

  bool keeps(std::string_view word) const {
    return kept_ && model_ && model_->find(word) == model_->bottom();
  }
  bool unknown() const { return kept_ && !model_; }

 private:
  bool kept_ = false;
  std::shared_ptr<const Model> model_;
};

bool is_clear(const TextToken& token, const Policy& policy, const OutsideWords& outside) {
  switch (token.token_class) {
    case TokenClass::punctuation:
      return policy.punctuation == PunctuationPolicy::keep;
    case TokenClass::number:
      return policy.numbers == NumberPolicy::keep;
    case TokenClass::word:
      if (policy.stopwords == StopwordPolicy::keep && is_stopword(folded(token.text))) return true;
      break;
    case TokenClass::other:
      break;
  }
  return outside.keeps(token.text);
}

bool is_word(const PreviewToken& token) {
  return token.place.token_class == TokenClass::word || token.place.token_class == TokenClass::other;
}

std::uint64_t longest_sentence(const std::vector<PreviewToken>& tokens) {
  std::vector<std::uint64_t> draws(tokens.empty() ? 0 : tokens.back().place.sentence + 1);
  for (const PreviewToken& token : tokens)
    if (is_word(token) && !token.clear) ++draws[token.place.sentence];
  return draws.empty() ? 0 : std::ranges::max(draws);
}

void compare_tokens(PreviewSetting& setting, const Preview& preview) {
  std::vector<TextToken> places;
  places.reserve(preview.tokens.size());
  for (const PreviewToken& token : preview.tokens) places.push_back(token.place);
  auto outputs = matching_tokens(preview.text, places, setting.text);
  if (!outputs) return;
  setting.outputs = std::move(*outputs);
  for (std::size_t i = 0; i < places.size(); ++i)
    setting.changed.push_back(folded(places[i].text) != folded(setting.outputs[i]));
}

Result<void> compose(PreviewSetting& setting) {
  if (setting.guarantee.kind == GuaranteeKind::none) return {};
  Composition document;
  SOTTO_TRY(document.add(setting.guarantee, setting.draws));
  if (!document.losses().empty()) setting.loss = document.losses().front();
  if (setting.sentence_draws == 0) return {};
  Composition sentence;
  SOTTO_TRY(sentence.add(setting.guarantee, setting.sentence_draws));
  if (!sentence.losses().empty()) setting.sentence_loss = sentence.losses().front().epsilon;
  return {};
}

double kept_share(const Counts& counts) {
  return 1 - static_cast<double>(counts.statistics.changed) / static_cast<double>(counts.privatized);
}

Result<PreviewSetting> draw(const PreviewPrivatizer& open, const PreviewRequest& request,
                            const Preview& preview) {
  Counts counts;
  PreviewSetting setting;
  SOTTO_ASSIGN(setting.text, open.privatizer->privatize({"preview", std::to_string(request.draw), "text"},
                                                        request.text, counts));
  setting.epsilon = open.receipt.epsilon;
  setting.guarantee = open.receipt.guarantee;
  setting.draws = counts.largest_document;
  // Where every draw reads the whole text, a sentence is as exposed as the document.
  if (preview.kind == MechanismKind::word_by_word) setting.sentence_draws = longest_sentence(preview.tokens);
  if (counts.privatized > 0 && preview.kind != MechanismKind::generated)
    setting.kept =
        1 - static_cast<double>(counts.statistics.changed) / static_cast<double>(counts.privatized);
  setting.attacker = attacker_success(preview.mechanism.name, setting.epsilon, preview.mechanism.parameters,
                                      open.receipt.model_digest);
  if (preview.kind != MechanismKind::generated) compare_tokens(setting, preview);
  SOTTO_TRY(compose(setting));
  return setting;
}

/// Few words vary much from draw to draw, so short texts are drawn several times.
Result<void> measure(PreviewSetting& setting, const PreviewPrivatizer& open, const Preview& preview) {
  const std::uint64_t draws = std::clamp<std::uint64_t>(
      kMeasuredWords / std::max<std::uint64_t>(setting.draws, 1), 1, kMostMeasuredDraws);
  Counts counts;
  std::vector<std::string> after;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::string id = fmt::format("measured {}", i);
    SOTTO_ASSIGN(after.emplace_back(),
                 open.privatizer->privatize({"preview", id, "text"}, preview.text, counts));
  }
  if (setting.kept) setting.kept = kept_share(counts);
  LanguageModelResources resources;
  resources.threads = 1;
  const std::vector<std::string> before(after.size(), preview.text);
  SOTTO_ASSIGN(const std::vector<double> cosines,
               text_similarities(before, after, kDefaultEncoder, resources));
  setting.similarity = std::reduce(cosines.begin(), cosines.end()) / static_cast<double>(cosines.size());
  return {};
}

void mark_unchanged_as_clear(Preview& preview) {
  for (std::size_t i = 0; i < preview.tokens.size(); ++i) {
    PreviewToken& token = preview.tokens[i];
    token.clear = token.clear || (is_word(token) && std::ranges::all_of(preview.settings, [&](const auto& s) {
                                    return !s.changed.empty() && !s.changed[i];
                                  }));
  }
}

}  // namespace

Result<double> preview_epsilon(double epsilon) {
  if (!(epsilon >= kSmallestPreviewEpsilon && epsilon <= kLargestPreviewEpsilon))
    return fail_parameter(
        "epsilons", fmt::format("{}", epsilon),
        fmt::format("each must be from {} to {}", kSmallestPreviewEpsilon, kLargestPreviewEpsilon));
  const int exponent = static_cast<int>(std::floor(std::log10(epsilon))) - 1;
  // Powers of ten below 1 have no exact form; division by their inverses gives the double that is typed.
  const double unit = std::pow(10.0, std::abs(exponent));
  return exponent < 0 ? std::round(epsilon * unit) / unit : std::round(epsilon / unit) * unit;
}

struct Previewer::Impl {
  PreviewPrivatizers privatizers{kMostOpen};

  /// Settings whose mechanisms are open, or opened within the time for it; the others are pending.
  Result<void> add_settings(Preview& preview, const PreviewRequest& request,
                            const std::vector<double>& epsilons) {
    const auto start = steady_clock::now();
    for (const double epsilon : epsilons) {
      PrivatizeOptions options;
      options.mechanism = preview.mechanism;
      options.mechanism.epsilon = epsilon;
      options.policy = request.options.policy;
      PreviewPrivatizers::Open open;
      if (preview.settings.empty() || steady_clock::now() < start + kWorkingTime) {
        SOTTO_ASSIGN(open, privatizers.open(options, start + kWaitingTime));
      }
      if (!open) {
        preview.pending.push_back(epsilon);
        continue;
      }
      SOTTO_ASSIGN(PreviewSetting setting, draw(*open, request, preview));
      if (request.measure) SOTTO_TRY(measure(setting, *open, preview));
      preview.settings.push_back(std::move(setting));
    }
    return {};
  }

  Result<void> add_typical(Preview& preview) {
    const PreviewSetting& first = preview.settings.front();
    if (preview.kind != MechanismKind::word_by_word || first.guarantee.unit.is_pure()) return {};
    MechanismSpec spec = preview.mechanism;
    spec.epsilon = first.epsilon;
    SOTTO_ASSIGN(const auto typical, privatizers.typical(spec, steady_clock::now() + kWaitingTime));
    if (typical) preview.typical = *typical;
    return {};
  }
};

Previewer::Previewer() : impl_(std::make_unique<Impl>()) {}
Previewer::~Previewer() = default;

Result<std::unique_ptr<Preview>> Previewer::preview(const PreviewRequest& request) {
  auto preview = std::make_unique<Preview>();
  MechanismSpec& spec = preview->mechanism = request.options.mechanism;
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(spec.name));
  preview->kind = info->kind;
  if (spec.model.empty()) spec.model = info->default_model;
  SOTTO_TRY(check_names(spec));
  SOTTO_ASSIGN(spec.parameters, complete_parameters(*info, spec.parameters));
  SOTTO_TRY(check_text(request, info->kind));
  SOTTO_ASSIGN(const std::vector<double> epsilons, checked_epsilons(request.epsilons));

  preview->text = request.text;
  PrivatizeOptions options = request.options;
  options.mechanism = spec;
  SOTTO_ASSIGN(const OutsideWords outside, OutsideWords::make(options, info->kind));
  for (const TextToken& place : text_tokens(preview->text))
    preview->tokens.push_back({place, is_clear(place, options.policy, outside)});

  SOTTO_TRY(impl_->add_settings(*preview, request, epsilons));
  if (preview->settings.empty()) return nullptr;
  if (outside.unknown()) mark_unchanged_as_clear(*preview);
  SOTTO_TRY(impl_->add_typical(*preview));
  return preview;
}

}  // namespace sotto::server
