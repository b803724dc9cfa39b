#include <algorithm>

#include <sotto/collocations.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json phrase_json(const PhraseTable& table, PhraseId id) {
  std::string phrase = table.phrase(id);
  std::replace(phrase.begin(), phrase.end(), kPhraseJoint, ' ');
  return {{"phrase", phrase}, {"pmi", table.pmi(id)}, {"count", table.count(id)}};
}

Json list_json(const PhraseTable& table, std::span<const PhraseId> ids) {
  Json json = Json::array();
  for (const PhraseId id : ids) json.push_back(phrase_json(table, id));
  return json;
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

std::string to_json(const PhraseTable& table, const PhraseTableDetails& details) {
  Json json = {{"path", table.path().string()},
               {"digest", table.digest()},
               {"sha256", table.stored_sha256()},
               {"phrases", table.size()},
               {"metadata", Json::object()}};
  for (const auto& [key, value] : table.metadata()) json["metadata"][key] = value;
  if (details.verified) json["verified"] = true;
  if (details.top) json["top"] = list_json(table, *details.top);
  return base::json_text(json);
}

std::string phrases_json(const PhraseTable& table, std::uint64_t found, std::span<const PhraseId> shown) {
  return base::json_text({{"found", found}, {"phrases", list_json(table, shown)}});
}

std::string to_json(const CountReport& report) {
  return base::json_text({{"path", report.file.string()},
                          {"sha256", report.sha256},
                          {"documents", report.documents},
                          {"sentences", report.sentences},
                          {"words", report.words},
                          {"distinct_words", report.distinct_words},
                          {"distinct_bigrams", report.distinct_bigrams},
                          {"distinct_trigrams", report.distinct_trigrams},
                          {"bigrams", report.bigrams},
                          {"trigrams", report.trigrams},
                          {"spilled_bytes", report.spilled}});
}

std::string to_json(const CorpusTokenizeReport& report) {
  return base::json_text({{"method", to_string(report.method)},
                          {"documents", report.documents},
                          {"words", report.words},
                          {"tokens", report.tokens},
                          {"bigrams", report.bigrams},
                          {"trigrams", report.trigrams},
                          {"collocation_share", share(report.bigrams + report.trigrams, report.tokens)},
                          {"pmi", report.pmi}});
}

}  // namespace sotto
