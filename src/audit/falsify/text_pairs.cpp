#include "audit/falsify/text_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "audit/distributions.hpp"
#include "audit/falsify/event.hpp"
#include "random/integer_samplers.hpp"
#include "text/letter_case.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kMostWords = 8;  // of an output, examined one by one

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string whole(const std::string& output, std::size_t) {
  return output;
}

std::string word_at(const std::string& output, std::size_t index) {
  const std::vector<std::string_view> parts = split(output);
  return index < parts.size() ? std::string(parts[index]) : "";
}

/// Letter case, digit counts and number of parts.
std::string shape(const std::string& output, std::size_t) {
  std::string shape;
  for (const std::string_view word : split(output)) {
    const bool number = !word.empty() && word[0] >= '0' && word[0] <= '9';
    shape += number ? fmt::format("#{} ", word.size())
                    : fmt::format("{} ", static_cast<int>(text::case_pattern(word)));
  }
  return shape;
}

/// Maps strings to numbers, for tallies.
class Names {
 public:
  OutputId id(const std::string& name) {
    const auto [at, is_new] = ids_.try_emplace(name, static_cast<OutputId>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  const std::string& name(OutputId id) const { return names_[id]; }

 private:
  std::map<std::string, OutputId> ids_;
  std::vector<std::string> names_;
};

struct Halves {
  Tally chosen_on;
  Tally tested_on;
};

Halves tally(const std::vector<std::string>& outputs, const OutputPart& part, Names& names) {
  std::vector<OutputId> ids;
  for (const std::string& output : outputs) ids.push_back(names.id(part.of(output, part.index)));
  const std::span<const OutputId> all(ids);
  return {Tally(all.first(all.size() / 2)), Tally(all.subspan(all.size() / 2))};
}

std::string capitalized(std::string_view word) {
  text::OutputBuffer out;
  text::append_capitalized(out, word);
  return std::string(out.view());
}

std::string upper(std::string_view word) {
  text::OutputBuffer out;
  text::append_upper(out, word);
  return std::string(out.view());
}

}  // namespace

std::vector<TextPair> generate_text_pairs(const AuditVocabulary& model, const Claim& claim, BitSource& bits) {
  const auto random_word = [&] { return static_cast<TokenId>(random::uniform_below(bits, model.size())); };
  const auto near = [&](TokenId word) {
    TokenId best = word;
    for (int i = 0; i < 64; ++i) {
      const TokenId other = random_word();
      if (other == word || claim.distance(word, other) == 0) continue;
      if (best == word || claim.distance(word, other) < claim.distance(word, best)) best = other;
    }
    return best;
  };
  const auto spell = [&](TokenId id) { return std::string(model.word(id)); };
  const TokenId a = random_word(), b = random_word(), c = random_word();
  const std::string wa = spell(a), wb = spell(b), wc = spell(c);
  const std::string na = spell(near(a)), nb = spell(near(b));
  std::vector<TextPair> pairs = {
      {wa + " " + wb + " " + wc, na + " " + wb + " " + wc, "one word"},
      {wa + " " + wb + " " + wc, na + " " + nb + " " + wc, "two words"},
      {wa + " 5 " + wb, wa + " 7 " + wb, "numbers"},
      {wa + " 5 " + wb, na + " 3 " + wb, "word and number"},
      {wa + " 5 " + wb, wa + " 50 " + wb, "digit count"},
      {wa + " " + wb, wa + " " + capitalized(wb), "letter case"},
      {wa + " " + wb + " " + wc, wa + " " + upper(wb) + " " + wc, "letter case"},
      {wa + " the " + wb, wa + " of " + wb, "stopwords"},
      {wa + " zzqxkjv " + wb, wa + " jane.roe@example.org " + wb, "outside"},
      {wa + " zzqxkjv " + wb, wa + " " + wc + " " + wb, "outside"},
      {wa + ", " + wb, wa + "; " + wb, "punctuation"},
      {wa + "  " + wb, wa + " " + wb, "whitespace"},
  };
  if (model.maps()) {
    const std::string stretched = wc + std::string(3, wc.back());
    pairs.push_back({wa + " " + stretched + " " + wb, wa + " " + wc + " " + wb, "spelling"});
    pairs.push_back({wa + " b2b4c6 " + wb, wa + " jane.roe@example.org " + wb, "unmapped"});
  }
  return pairs;
}

TextClaim claim_between(const TextPair& pair, const Claim& claim, const std::vector<SharedTrait>& adjacency,
                        const Policy& policy, const AuditVocabulary& model, bool whole_text) {
  const TextProfile first = profile_text(pair.first, adjacency, policy, model);
  const TextProfile second = profile_text(pair.second, adjacency, policy, model);
  TextClaim result;
  for (std::size_t i = 0; i < adjacency.size(); ++i)
    if (first.traits[i] != second.traits[i]) result.differ_in.emplace_back(to_string(adjacency[i]));
  if (first.inputs.size() != second.inputs.size() && result.differ_in.empty())
    result.differ_in.emplace_back("number of privatized tokens");
  result.claimed = result.differ_in.empty();
  if (!result.claimed) return result;
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const bool differs = first.inputs[i] != second.inputs[i];
    result.differs.push_back(differs);
    if (!differs || whole_text) continue;
    const double distance = claim.distance(first.inputs[i], second.inputs[i]);
    result.distance += distance;
    result.allowed += claim.allowed(distance);
  }
  if (whole_text && pair.first != pair.second) {
    result.distance = static_cast<double>(first.inputs.size());
    result.allowed = claim.allowed(result.distance);
  }
  if (!std::isfinite(result.allowed)) {
    result.claimed = false;
    result.differ_in.emplace_back("words without a promise between them");
  }
  return result;
}

Result<TextPairAudit::Outputs> TextPairAudit::draw(const std::string& text, std::uint64_t run) const {
  Outputs outputs;
  outputs.reserve(draws_);
  Counts ignored;
  for (std::uint64_t i = 0; i < draws_; ++i) {
    SOTTO_ASSIGN(outputs.emplace_back(),
                 privatizer_.privatize({"audit", fmt::format("{}/{}", run, i), "text"}, text, ignored));
  }
  return outputs;
}

/// If the claim excludes outputs, an output counts if it is covered wherever the texts differ: elsewhere both
/// have the same law.
bool TextPairAudit::covers(const std::string& output, const TextClaim& claimed) const {
  const std::vector<std::string_view> words = split(output);
  for (std::size_t i = 0; i < claimed.differs.size(); ++i) {
    if (!claimed.differs[i]) continue;
    if (words.size() != claimed.differs.size()) return false;
    const TokenId id = model_.find(words[i]);
    if (id == model_.bottom() || !claim_.covers(id)) return false;
  }
  return true;
}

/// What events may be about, fewest outcomes first: of two parts that distinguish the draws equally well, the
/// one with fewer outcomes also does so on other draws.
std::vector<OutputPart> TextPairAudit::parts_of(const std::string& output) const {
  if (claim_.leaves_outputs_out) return {{whole, 0}};  // a part may belong to excluded outputs
  std::vector<OutputPart> parts = {{shape, 0}};
  for (std::size_t i = 0; i < std::min(kMostWords, split(output).size()); ++i) parts.push_back({word_at, i});
  parts.push_back({whole, 0});
  return parts;
}

Result<std::vector<PairFinding>> TextPairAudit::test(const TextPair& pair, const TextClaim& claimed,
                                                     double alpha, std::uint64_t run) const {
  SOTTO_ASSIGN(const Outputs first, draw(pair.first, 2 * run));
  SOTTO_ASSIGN(const Outputs second, draw(pair.second, 2 * run + 1));
  const double deviations = normal_quantile(alpha);
  PairFinding finding;
  finding.chosen_as = pair.chosen_as;
  finding.claimed = claimed.claimed;
  finding.differ_in = claimed.differ_in;
  finding.distance = claimed.distance;
  finding.allowed = claimed.allowed;
  finding.first = pair.first;
  finding.second = pair.second;
  std::vector<PairFinding> findings = {finding, finding};
  std::swap(findings[1].first, findings[1].second);
  std::array<double, 2> best = {-1, -1};
  for (const OutputPart& part : parts_of(first.front())) {
    Names names;
    const std::array<Halves, 2> halves = {tally(first, part, names), tally(second, part, names)};
    const auto named = [&](OutputId id) { return names.name(id); };
    const auto covered = [&](OutputId id) {
      return !claim_.leaves_outputs_out || covers(names.name(id), claimed);
    };
    for (std::size_t side = 0; side < 2; ++side) {
      const ChosenEvent event =
          choose_event(halves[side].chosen_on, halves[1 - side].chosen_on, covered, deviations);
      if (event.score <= best[side]) continue;
      best[side] = event.score;
      test_event(event, named, halves[side].tested_on, halves[1 - side].tested_on, alpha, findings[side]);
    }
  }
  return findings;
}

}  // namespace sotto::audit
