// Metrics of the words of rewritten texts: PP, LOW, share of English words, BLEU, change of length.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/hash.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
#include "evaluate/metrics/bleu.hpp"
#include "evaluate/metrics/text_metrics.hpp"

namespace sotto::evaluate {
namespace {

bool asks_for(const CellContext& context, std::string_view metric) {
  const auto& metrics = context.run.texts->metrics;
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

/// Of the source of English words: a list, or WordNet.
Result<nlohmann::json> english_identity(const CellContext& context) {
  if (context.run.texts->english.empty()) {
    auto digest = context.cache_keys.wordnet_digest(context.wordnet);
    if (digest) return nlohmann::json{{"wordnet", std::move(*digest)}};
    return fail(Errc::not_found,
                fmt::format("share of English words: {}; name a word list under 'english', or "
                            "install wordnet-base",
                            describe(digest.error())));
  }
  SOTTO_ASSIGN(const LabelledWords* list, context.inputs.word_list(context.run.texts->english));
  base::Sha256 hash;
  for (const std::string& word : list->words) hash.update(word + "\n");
  return nlohmann::json{{"list", base::to_hex(hash.finish())}};
}

Result<nlohmann::json> overlap_identity(const CellContext& context, const Cell& cell) {
  const TextsMeasure& measure = *context.run.texts;
  SOTTO_ASSIGN(nlohmann::json texts, measured_texts_identity(context, cell));
  nlohmann::json json = {{"kind", "overlap"},
                         {"of", std::move(texts)},
                         {"metrics", measure.metrics},
                         {"least_occurring", measure.least_occurring}};
  if (asks_for(context, "english")) {
    SOTTO_ASSIGN(json["english"], english_identity(context));
  }
  return json;
}

/// Recognizes English words, and owns what it looks them up in.
struct EnglishTest {
  std::unique_ptr<text::WordNet> wordnet;
  WordTest test;
};

Result<EnglishTest> english_test(const CellContext& context) {
  EnglishTest english;
  if (!context.run.texts->english.empty()) {
    SOTTO_ASSIGN(const LabelledWords* list, context.inputs.word_list(context.run.texts->english));
    english.test = word_test(list->words);
    return english;
  }
  SOTTO_ASSIGN(text::WordNet opened, text::WordNet::open(context.wordnet));
  english.wordnet = std::make_unique<text::WordNet>(std::move(opened));
  english.test = word_test(*english.wordnet);
  return english;
}

Result<void> add_english(const CellContext& context, const TextLists& texts, nlohmann::ordered_json& json) {
  SOTTO_ASSIGN(const EnglishTest english, english_test(context));
  Share share;
  for (const std::string& text : texts.privatized) share += known_words(text, english.test);
  json["english"] = share.value();
  return {};
}

Result<void> add_bleu(const TextLists& texts, nlohmann::ordered_json& json) {
  std::vector<Tokens> candidates;
  std::vector<Tokens> references;
  for (const std::string& text : texts.privatized) candidates.push_back(tokens_of(text));
  for (const std::string& text : texts.originals) references.push_back(tokens_of(text));
  SOTTO_ASSIGN(const BleuScore bleu, corpus_bleu(candidates, references));
  json["bleu"] = bleu.score;
  return {};
}

void add_pairs(const CellContext& context, const TextLists& texts, nlohmann::ordered_json& json) {
  Share perturbed;
  LengthChange length;
  for (std::size_t i = 0; i < texts.originals.size(); ++i) {
    const RewrittenText pair{texts.originals[i], texts.privatized[i]};
    if (asks_for(context, "pp")) perturbed += perturbed_words(pair);
    length += length_change(pair);
  }
  if (asks_for(context, "pp")) json["pp"] = perturbed.value();
  if (!asks_for(context, "length")) return;
  json["length_ratio"] = length.length_ratio();
  json["length_change"] = length.mean_absolute_change();
}

Result<nlohmann::ordered_json> compute_overlap(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(const TextLists texts, load_text_lists(context, cell));
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (asks_for(context, "english")) SOTTO_TRY(add_english(context, texts, json));
  if (cell.mechanism.empty()) return json;  // the rest compares with the originals
  add_pairs(context, texts, json);
  if (!context.go_on()) return fail(Errc::interrupted, "interrupted");
  if (asks_for(context, "low"))
    json["low"] =
        least_occurring_words(texts.originals, texts.privatized, context.run.texts->least_occurring);
  if (asks_for(context, "bleu")) SOTTO_TRY(add_bleu(texts, json));
  json["texts"] = texts.originals.size();
  return json;
}

}  // namespace

const CellType& overlap_cell() {
  static const CellType type = {overlap_identity, measured_texts, compute_overlap};
  return type;
}

}  // namespace sotto::evaluate
