// One document end to end: under every policy the output holds what the policy says, and under the strict one
// no letter of the input.
#include <array>
#include <memory>

#include <sotto/privatize.hpp>

#include "fuzz.hpp"
#include "strange_words.hpp"

namespace {

using namespace sotto;
using fuzz::require;

struct PolicyChange {
  const char* part;
  const char* value;
};
// The first is the strict policy.
constexpr std::array<PolicyChange, 8> kPolicies = {{{"case", "position"},
                                                    {"case", "lower"},
                                                    {"case", "keep"},
                                                    {"numbers", "drop"},
                                                    {"punctuation", "drop"},
                                                    {"oov", "drop"},
                                                    {"oov", "keep"},
                                                    {"stopwords", "keep"}}};

const Privatizer& privatizer(bool ascii, bool vectors, std::size_t policy) {
  static std::array<std::unique_ptr<Privatizer>, 4 * kPolicies.size()> all;
  auto& found = all[(policy * 2 + vectors) * 2 + ascii];
  if (found) return *found;
  PrivatizeOptions options;
  options.mechanism.name = vectors ? "santext" : "diffractor-geometric";
  options.mechanism.epsilon = 1;
  options.mechanism.model = fuzz::strange_model(ascii, vectors).string();
  options.key_file = fuzz::write_scratch("key", std::string(32, 'k'));
  // What is installed with the models is not here; the map of words has targets of its own.
  options.policy.oov = OovPolicy::bottom;
  options.policy.letter_case = CasePolicy::position;
  require(set_policy_part(options.policy, kPolicies[policy].part, kPolicies[policy].value).has_value(),
          "the policies are known");
  found = fuzz::value_of(Privatizer::make(options));
  return *found;
}

/// What holds under policies other than the strict one.
void check_parts(std::string_view output, const fuzz::Alphabet& alphabet, const PolicyChange& policy) {
  const std::string_view part = policy.part;
  const std::string_view value = policy.value;
  for (std::size_t i = 0; i < output.size();) {
    const text::CodePoint point = text::decode_utf8(output, i);
    i += point.size;
    const text::CharKind kind = text::char_kind(point.value);
    require(!alphabet.has(point.value) || part != "oov" || value != "drop", "dropped words leave nothing");
    require(kind != text::CharKind::digit || part != "numbers", "dropped numbers leave no digit");
    require(part == "stopwords" || alphabet.has(point.value) || kind == text::CharKind::digit ||
                kind == text::CharKind::punctuation || kind == text::CharKind::whitespace,
            "no letter and no symbol of the input is in the output");
    require(kind != text::CharKind::punctuation || part != "punctuation" || point.value == '.' ||
                point.value == ',',
            "dropped punctuation leaves none but inside numbers");
  }
}

}  // namespace

SOTTO_FUZZ_TARGET(document) {
  const unsigned choice = fuzz::take_byte(input);
  const bool ascii = choice % 2 == 0;
  const std::size_t policy = choice / 4 % kPolicies.size();
  const fuzz::Alphabet& alphabet = fuzz::alphabet(ascii);
  std::uint64_t ignored = 0;
  const std::string clean = fuzz::without_letters(input, alphabet);
  const bool untouched = clean == replace_invalid_utf8(input, ignored);
  const std::string_view text =
      untouched ? input : clean;  // unchanged where possible, to keep bytes that are not UTF-8
  const Privatizer& chosen = privatizer(ascii, choice / 2 % 2 == 0, policy);
  Counts counts;
  const auto output = chosen.privatize({"set", "1", "text"}, text, counts);
  require(output.has_value() == (text.find('\0') == std::string_view::npos), "only NUL bytes are refused");
  if (!output) return;
  require(*output == chosen.privatize({"set", "1", "text"}, text, counts), "a repeat repeats the output");
  require(is_valid_utf8(*output), "the output is UTF-8");
  const std::string_view part = kPolicies[policy].part;
  const std::string_view value = kPolicies[policy].value;
  if (part == "case") {
    fuzz::StrictWalk walk(text, *output, alphabet);
    walk.check(value != "keep");
    require(value != "lower" || text::to_lower(*output) == *output, "lower case has no capitals");
  } else if (value == "keep" && part == "oov") {
    // No word of an input is in the vocabulary, so every word is kept.
    require(counts.privatized == 0, "what is kept is not privatized");
  } else {
    check_parts(*output, alphabet, kPolicies[policy]);
  }
}
