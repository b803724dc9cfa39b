#include <algorithm>

#include <fmt/format.h>

#include <sotto/choose.hpp>
#include <sotto/language_models.hpp>
#include <sotto/terminal_text.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/message.hpp"
#include "base/stopwatch.hpp"
#include "evaluate/choose/mechanism_probe.hpp"
#include "evaluate/choose/text_sample.hpp"
#include "pipeline/records/output_target.hpp"

namespace sotto {
using namespace evaluate;
namespace {

constexpr std::array<std::string_view, 4> kUsualMechanisms = {"diffractor-geometric", "santext", "tem",
                                                              "cmp"};

constexpr std::size_t kSimilarTexts = 40;

/// The attacker that is measured guesses words from single outputs; it has no form for a language model.
Result<void> check_kind(const std::string& name) {
  SOTTO_ASSIGN(const MechanismInfo* const info, find_mechanism(name));
  if (info->kind == MechanismKind::word_by_word) return {};
  return fail_parameter(
      "mechanism", name,
      base::format_message("'{}' rewrites whole texts, and no attacker on single words measures it; "
                           "'{{0}}' describes it, and '{{1}}' shows what it draws in a text",
                           name),
      Errc::invalid_argument,
      {{"mechanisms " + name, {}},
       {"explain", {{"mechanism", name}, {"text", ""}, {"word", "1"}, {"epsilon", ""}}}});
}

Result<std::vector<MechanismSpec>> wanted_mechanisms(const ChooseOptions& options) {
  std::vector<MechanismSpec> wanted = options.mechanisms;
  if (wanted.empty())
    for (const std::string_view name : kUsualMechanisms) wanted.push_back({.name = std::string(name)});
  if (wanted.size() > kMostChosenMechanisms)
    return fail_parameter("mechanism", "",
                          fmt::format("{} mechanisms are too many for one page; give at most {}",
                                      wanted.size(), kMostChosenMechanisms));
  for (const MechanismSpec& spec : wanted) SOTTO_TRY(check_kind(spec.name));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (wanted[i].name == wanted[j].name && wanted[i].parameters == wanted[j].parameters &&
          wanted[i].model == wanted[j].model)
        return fail_parameter("mechanism", wanted[i].name,
                              fmt::format("'{}' is given twice", wanted[i].name));
  return wanted;
}

Result<void> check_ledger_options(double most_recovered) {
  if (most_recovered >= 0.01 && most_recovered <= 0.99) return {};
  return base::not_allowed("most_recovered", most_recovered, "a share from 0.01 to 0.99");
}

/// Those whose similarity is measured.
EncodedTexts first_texts(const ChoiceText& text) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(kSimilarTexts, text.documents.size()));
  return {{text.documents.begin(), text.documents.begin() + count}};
}

const TextFigures& deciding_figures(const Choice& choice, const MechanismFindings& findings) {
  const ChoicePoint& point = findings.points[*findings.at_limit];
  return choice.use_private ? *point.private_text : point.public_text;
}

/// How well a text survives: larger is better.
double usefulness(const TextFigures& figures) {
  return figures.similarity.value_or(-figures.changed);
}

std::string usefulness_in_words(const TextFigures& figures) {
  return figures.similarity
             ? fmt::format("similarity {:.2f} ± {:.2f}", *figures.similarity, figures.similarity_margin)
             : fmt::format("{:.0f}% of the words changed", 100 * figures.changed);
}

bool is_eligible(const MechanismFindings& findings) {
  return findings.at_limit && findings.guarantee != GuaranteeKind::none;
}

/// Whether another mechanism's similarity is within the margin of the best one's.
bool is_close(const Choice& choice, const MechanismFindings& best) {
  const TextFigures& figures = deciding_figures(choice, best);
  return std::any_of(choice.mechanisms.begin(), choice.mechanisms.end(), [&](const MechanismFindings& other) {
    return &other != &best && is_eligible(other) && figures.similarity &&
           deciding_figures(choice, other).similarity >= *figures.similarity - figures.similarity_margin;
  });
}

/// Why the recommended mechanism is preferred.
std::string reason_for(const Choice& choice, const MechanismFindings& best) {
  const TextFigures& figures = deciding_figures(choice, best);
  std::string text = fmt::format(
      "{} is the largest epsilon tried at which an attacker with public frequencies recovers at most {:.0f}% "
      "of "
      "the words: {:.0f}%, among {} candidates; guessing blindly, {:.0f}%. ",
      fmt::format("{:g}", best.points[*best.at_limit].epsilon), 100 * choice.most_recovered,
      100 * figures.recovered, choice.use_private ? best.private_candidates : best.candidates,
      100 * best.blind);
  std::string others;
  for (const MechanismFindings& other : choice.mechanisms)
    if (&other != &best && is_eligible(other))
      others += fmt::format("{}{} with {}", others.empty() ? "" : ", ", other.mechanism.name,
                            usefulness_in_words(deciding_figures(choice, other)));
  text += others.empty() ? fmt::format("No other mechanism stays within this limit. It has {}.",
                                       usefulness_in_words(figures))
                         : fmt::format("Within the same limit it keeps the text best: {}, against {}.",
                                       usefulness_in_words(figures), others);
  if (is_close(choice, best)) text += " A difference this small may be chance.";
  return text +
         (choice.use_private
              ? " Measured on the private text: this choice is a function of it, which no guarantee covers."
              : fmt::format(" Measured on {} only.", choice.public_text.source));
}

void recommend(Choice& choice) {
  for (std::size_t i = 0; i < choice.mechanisms.size(); ++i) {
    if (!is_eligible(choice.mechanisms[i])) continue;
    if (!choice.recommended ||
        usefulness(deciding_figures(choice, choice.mechanisms[i])) >
            usefulness(deciding_figures(choice, choice.mechanisms[*choice.recommended])))
      choice.recommended = i;
  }
  choice.reason = choice.recommended
                      ? reason_for(choice, choice.mechanisms[*choice.recommended])
                      : fmt::format(
                            "None of these mechanisms has a guarantee and keeps an attacker with public "
                            "frequencies below {:.0f}% of the words at any epsilon.",
                            100 * choice.most_recovered);
}

}  // namespace

Result<Choice> choose(const ChooseOptions& options) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_ledger_options(options.most_recovered));
  SOTTO_ASSIGN(const std::vector<MechanismSpec> wanted, wanted_mechanisms(options));
  SOTTO_ASSIGN(const ChoiceText private_text, sample_private_text(options));
  SOTTO_ASSIGN(const PublicSample public_text, sample_public_text(options));
  Choice choice;
  choice.public_text = public_text.text.facts;
  choice.private_text = private_text.facts;
  SOTTO_ASSIGN(choice.public_text.unknown, unknown_share(wanted.front(), public_text.text));
  SOTTO_ASSIGN(choice.private_text.unknown, unknown_share(wanted.front(), private_text));
  choice.use_private = options.use_private;
  choice.most_recovered = options.most_recovered;
  SimilarityMeter similarity(options.resources.threads);
  ChoiceProgress progress(options.progress, wanted.size());
  ChoiceTexts texts{public_text, private_text, first_texts(public_text.text), first_texts(private_text)};
  for (const MechanismSpec& spec : wanted) {
    auto findings = probe_mechanism(spec, options, texts, similarity, progress);
    if (!findings) return tl::unexpected(std::move(findings.error()));
    choice.mechanisms.push_back(std::move(*findings));
    progress.next_mechanism();
  }
  choice.encoder_absent = similarity.absent();
  if (choice.encoder_absent.empty()) choice.encoder = kDefaultEncoder;
  recommend(choice);
  choice.seconds = watch.seconds();
  return choice;
}

std::string documents_of(const MeasuredText& text) {
  if (text.documents == text.documents_seen && text.whole) return counted(text.documents, "document");
  return fmt::format("{} of {}{}", text.documents, text.whole ? "" : "the first ",
                     counted(text.documents_seen, "document"));
}

Result<void> check_choice_page(const ChooseOptions& options, const std::filesystem::path& file) {
  for (const std::filesystem::path& input : options.files.inputs) SOTTO_TRY(base::check_output(file, input));
  if (options.public_text) SOTTO_TRY(base::check_output(file, *options.public_text));
  SOTTO_TRY(pipeline::open_private_output(file));  // leaves nothing behind unless committed
  return {};
}

Result<void> write_choice_page(const Choice& choice, std::string_view command, const ChooseOptions& options,
                               const std::filesystem::path& file) {
  SOTTO_TRY(check_choice_page(options, file));
  SOTTO_ASSIGN(const auto output, pipeline::open_private_output(file));
  SOTTO_TRY(output->write(to_html(choice, command)));
  return output->commit();
}

}  // namespace sotto
