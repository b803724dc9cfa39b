#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/mechanism.hpp>
#include <sotto/receipt.hpp>
#include <sotto/receipt_description.hpp>
#include <sotto/terminal_text.hpp>

#include "base/file.hpp"
#include "base/message.hpp"
#include "pipeline/receipt_facts.hpp"
#include "pipeline/receipt_file.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using Promise = ReceiptFacts::Promise;
using Sentences = std::vector<std::string>;

// A receipt takes a few kilobytes; the largest have many fields.
constexpr std::uint64_t kLargestReceipt = 16 << 20;

// How sure a reader must be to count as certain, for the example.
constexpr double kNearlyCertain = 0.99;
constexpr double kMostCertain = 0.9999;

/// What a word is drawn from: a token, or a draw of a language model.
const char* unit_of_draw(const ReceiptFacts& facts) {
  return facts.language_model ? "draw" : "token";
}

/// How sure an observer can be at most who held two possibilities equally likely before: e^loss / (1 +
/// e^loss).
std::string certainty(double loss) {
  const double sure = 1 / (1 + std::exp(-loss));
  if (sure > kMostCertain)
    return fmt::format("practically certain at most (the promise allows more than {:g}%)",
                       100 * kMostCertain);
  return fmt::format("at most {:.1f}% sure", std::ceil(1000 * sure) / 10);
}

std::string list(const Sentences& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The data set, whose name is that of the input by default.
std::string described_input(const ReceiptFacts& facts) {
  if (facts.dataset == "-") return "standard input";
  return facts.dataset.empty() ? "texts without a name" : facts.dataset;
}

/// The mechanism in the words of the registry, if this version knows it.
std::string what_it_does(const std::string& mechanism) {
  const auto info = find_mechanism(mechanism);
  return info ? fmt::format("{}, which {}", mechanism, (*info)->summary)
              : fmt::format("{}, which this version of Sotto does not know", mechanism);
}

std::string setting(const ReceiptFacts& facts) {
  std::string text = facts.budget
                         ? fmt::format("Epsilon was {:.6g} per document, at most {:.6g} per {}",
                                       facts.budget->document_epsilon, facts.epsilon, unit_of_draw(facts))
                         : fmt::format("Epsilon was {:.6g} per {}", facts.epsilon, unit_of_draw(facts));
  text += fmt::format("; the model was {}", facts.model);
  if (!facts.collocations.empty())
    text += fmt::format("; groups of words were drawn together (by {})", facts.collocations);
  Sentences parameters;
  for (const auto& [name, value] : facts.parameters) parameters.push_back(fmt::format("{}={}", name, value));
  if (!parameters.empty()) text += fmt::format("; parameters: {}", list(parameters));
  return text + '.';
}

/// What the draws of a masked language model saw, and how far its words wander.
std::string draws(const ReceiptFacts& facts) {
  std::string text;
  if (facts.mode == "one-pass")
    text = "The model read each text once, as it was, and scored all its words in that pass.";
  if (facts.mode == "parallel") text = "For each draw, the model read the text with that word masked.";
  if (facts.mode == "sequential")
    text = "For each draw, the model read the text with the words already drawn and the next one masked.";
  if (facts.wander)
    text += fmt::format(
        " The wander was {:g}: at 0 words stay where they can, at 1 words of content change. It is no part "
        "of "
        "the promise.",
        *facts.wander);
  return text;
}

DescribedSection what_was_done(const ReceiptFacts& facts) {
  const ReceiptFacts::CountsShown& c = facts.counts;
  const char* const were = c.documents == 1 ? "was" : "were";
  const std::string fields =
      facts.fields.empty()
          ? ""
          : fmt::format(", {} {}", facts.fields.size() == 1 ? "field" : "fields", list(facts.fields));
  DescribedSection section{"What was done", {}, {}};
  section.paragraphs = {
      fmt::format("{} of {} ({}{}) {} rewritten with {}.", counted(c.documents, "document"),
                  described_input(facts), facts.format == kInMemory ? "in memory" : facts.format, fields,
                  were, what_it_does(facts.mechanism)),
      setting(facts)};
  if (const std::string seen = draws(facts); !seen.empty()) section.paragraphs.push_back(seen);
  const auto add = [&](std::uint64_t count, std::string_view noun, std::string_view one,
                       std::string_view many) {
    if (count > 0)
      section.items.push_back(fmt::format("{} {}", counted(count, noun), count == 1 ? one : many));
  };
  if (facts.language_model)
    add(c.privatized, "draw", "was made by the mechanism", "were made by the mechanism");
  else
    add(c.privatized, "word", "went through the mechanism", "went through the mechanism");
  add(c.randomized_numbers, "number", "got random digits", "got random digits");
  add(c.clear_stopwords, "stopword", "passed unchanged", "passed unchanged");
  add(c.clear_oov, "word", "outside the vocabulary passed unchanged",
      "outside the vocabulary passed unchanged");
  add(c.clear_numbers, "number", "passed unchanged", "passed unchanged");
  add(c.dropped, "token", "was dropped", "were dropped");
  add(c.withheld, "record", "was withheld because its subject's limit was reached",
      "were withheld because their subjects' limits were reached");
  add(c.repeated, "record", "was refused because a document of it had been released before",
      "were refused because documents of them had been released before");
  return section;
}

std::string promise_sentence(const ReceiptFacts& facts) {
  const Promise& promise = facts.promise;
  if (!promise.holds)
    return facts.seeded
               ? "Nothing is promised: the noise was made from a public seed, and whoever knows it can "
                 "undo it."
               : fmt::format("Nothing is promised. {}", readable_metric(promise.statement));
  if (facts.language_model)
    return fmt::format(
        "Whatever the text was, each drawn word could have come from any other text: no word is "
        "more than exp({:.6g}) times as likely for one text as for another, and the exponents of "
        "all draws of a text add up.",
        promise.epsilon);
  const std::string_view among =
      promise.scope == "inside a group" ? "another word of its group" : "another word";
  const std::string exponent = promise.metric.empty() ? fmt::format("{:.6g}", promise.epsilon)
                                                      : fmt::format("{:.6g} d", promise.epsilon);
  const std::string additive = promise.additive > 0 ? fmt::format(" + {:.6g}", promise.additive) : "";
  return fmt::format(
      "Each published word could have come from {}: no output is more than exp({}{}) times as likely for one "
      "word as for the other{}.",
      among, exponent, additive,
      promise.metric.empty()
          ? ""
          : fmt::format(", where d is their distance ({})", readable_metric(promise.metric)));
}

/// The factor in terms of what a reader may conclude.
Sentences examples(const ReceiptFacts& facts) {
  const Promise& promise = facts.promise;
  if (!promise.holds) return {};
  const std::string before =
      "Someone who holds two {} equally likely before reading the output may afterwards be {}";
  if (facts.language_model && certainty(promise.epsilon) == certainty(promise.document_max))
    return {fmt::format(fmt::runtime(before + ", judging by one drawn word alone."), "texts",
                        certainty(promise.epsilon))};
  if (facts.language_model)
    return {fmt::format(fmt::runtime(before + ", judging by one drawn word."), "texts",
                        certainty(promise.epsilon)),
            fmt::format(fmt::runtime(before + ", judging by the whole of the longest text ({})."), "texts",
                        certainty(promise.document_max), counted(facts.counts.largest_document, "draw"))};
  if (promise.metric.empty())
    return {fmt::format(fmt::runtime(before + "."), "words", certainty(promise.epsilon + promise.additive))};
  Sentences sentences = {fmt::format(fmt::runtime(before + ", if the words are at a distance of 1."), "words",
                                     certainty(promise.epsilon + promise.additive))};
  const double exponent = std::log(kNearlyCertain / (1 - kNearlyCertain));
  if (promise.epsilon > 0 && exponent > promise.additive)
    sentences.push_back(
        fmt::format("From a distance of {:.3g} on, they may be {:g}% sure or more: words far apart "
                    "are hardly protected from each other.",
                    (exponent - promise.additive) / promise.epsilon, 100 * kNearlyCertain));
  return sentences;
}

DescribedSection what_is_not_hidden(const ReceiptFacts& facts) {
  DescribedSection section{"What is not hidden", {}, facts.leaks};
  const Promise& promise = facts.promise;
  if (promise.holds)
    section.paragraphs.push_back(fmt::format(
        "Two texts are protected from each other only if they share: {}.", list(promise.adjacency)));
  if (promise.holds && promise.scope != "all inputs")
    section.paragraphs.push_back(fmt::format("The promise is limited to: {}.", promise.scope));
  section.paragraphs.emplace_back("An observer of the output still learns:");
  return section;
}

/// The sum over a document, and the figure at δ; both are true, so the smaller one is the one to quote.
void add_document_figures(const ReceiptFacts& facts, Sentences& items) {
  const Promise& promise = facts.promise;
  const std::string_view per = promise.metric.empty() ? "" : ", if each token moves by a distance of 1";
  const std::string additive =
      promise.document_additive > 0
          ? fmt::format(" plus {:.6g} whatever the distances", promise.document_additive)
          : "";
  items.push_back(fmt::format("Per document: epsilon {:.6g} at most, {:.6g} on average{}{}",
                              promise.document_max, promise.document_mean, additive, per));
  if (!promise.concentrated) return;
  const double delta = promise.concentrated->delta;
  const double epsilon = promise.concentrated->epsilon;
  items.push_back(fmt::format(
      "By concentrated composition: epsilon {:.6g} at most per document, at delta {:g}", epsilon, delta));
  items.push_back(
      epsilon < promise.document_max
          ? fmt::format("Both figures are true; quote the smaller one: {:.6g} at delta {:g}", epsilon, delta)
          : fmt::format("Both figures are true; quote the smaller one: {:.6g}, which needs no delta",
                        promise.document_max));
}

/// The model's digest stands in another section.
std::string ledger_unit(const ReceiptFacts& facts) {
  std::string unit = readable_metric(facts.ledger->unit);
  if (const std::size_t digest = unit.find(facts.model_digest);
      digest != std::string::npos && !facts.model_digest.empty())
    unit.replace(digest, facts.model_digest.size(), facts.model);
  return unit;
}

DescribedSection what_was_spent(const ReceiptFacts& facts) {
  DescribedSection section{"What was spent", {}, {}};
  const Promise& promise = facts.promise;
  if (promise.holds) {
    section.paragraphs.emplace_back(
        "The smaller epsilon, the stronger the promise. What is spent on the same people in several runs "
        "adds up.");
    section.items.push_back(
        fmt::format("Per {}: epsilon {:.6g}{}", unit_of_draw(facts), promise.epsilon,
                    promise.metric.empty()
                        ? ""
                        : fmt::format(" for each unit of distance ({})", readable_metric(promise.metric))));
    add_document_figures(facts, section.items);
    if (promise.record_max)
      section.items.push_back(
          fmt::format("Per record, all its fields together: epsilon {:.6g} at most", *promise.record_max));
  } else {
    section.paragraphs.emplace_back("There is no epsilon to account for, because nothing is promised.");
  }
  if (!facts.ledger) {
    section.paragraphs.emplace_back("No ledger kept account of it.");
    return section;
  }
  section.items.push_back(fmt::format("Limit per subject (field '{}'): epsilon {:.6g} in total, as {}",
                                      facts.ledger->subject_field, facts.ledger->limit, ledger_unit(facts)));
  section.items.push_back(
      fmt::format("Kept by ledger {}, whose head after the run is {}", facts.ledger->id, facts.ledger->head));
  return section;
}

std::string how_firm(const Promise& promise) {
  if (!promise.holds) return "There was nothing to check.";
  if (!promise.certificate)
    return "The promise is proved on paper. It was not certified by computation for this setting.";
  return fmt::format(
      "The promise is certified: the largest loss was computed, rounded up, from the very integers "
      "that are drawn. It is {:.6g}; some pair of words attains {:.6g}.",
      promise.certificate->epsilon, promise.certificate->attained);
}

DescribedSection how_it_was_checked(const ReceiptFacts& facts) {
  const Promise& promise = facts.promise;
  DescribedSection section{"How it was checked", {how_firm(promise)}, {}};
  for (const std::string& assumption : promise.assumptions)
    section.items.push_back(fmt::format("Assumption: {}", assumption));
  if (promise.certificate)
    section.items.push_back(fmt::format("Certificate: SHA-256 {}", promise.certificate->sha256));
  section.items.push_back(fmt::format("Program: Sotto {}", facts.program));
  section.items.push_back(fmt::format("Model: {}, digest {}", facts.model, facts.model_digest));
  section.items.push_back(fmt::format("Configuration: SHA-256 {}", facts.configuration));
  section.paragraphs.emplace_back(
      "The figures of this receipt agree with one another as far as they determine one another: its epsilons "
      "and their sums, its counts, and its policy. A receipt is not signed, so who passed it on must be "
      "trusted; whoever has the key and the input can repeat the run and compare.");
  return section;
}

}  // namespace

Result<ReceiptDescription> describe_receipt(std::string_view json) {
  SOTTO_ASSIGN(const ReceiptFacts facts, read_receipt(json));
  ReceiptDescription description;
  description.title = fmt::format("Privacy receipt: {}", described_input(facts));
  description.promises = facts.promise.holds;
  description.promise = promise_sentence(facts);
  description.examples = examples(facts);
  description.sections = {what_was_done(facts), what_is_not_hidden(facts), what_was_spent(facts),
                          how_it_was_checked(facts)};
  return description;
}

Result<std::string> pipeline::read_receipt_file(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(file, failed);
  if (!failed && size > kLargestReceipt)
    return fail(Errc::bad_format, fmt::format("{}: not a receipt: it has {} bytes", file.string(), size));
  return base::read_file(file);
}

Result<ReceiptDescription> describe_receipt_file(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const std::string json, read_receipt_file(file));
  auto description = describe_receipt(json);
  if (!description) return base::fail_at(file.string(), std::move(description.error()));
  return description;
}

Result<void> write_receipt_page(std::string_view page, const std::filesystem::path& receipt,
                                const std::filesystem::path& output) {
  SOTTO_TRY(base::check_output(output, receipt));
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(output));
  SOTTO_TRY(file.write(page));
  return file.commit();
}

}  // namespace sotto
