#include "text/wordnet.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/tree_hash.hpp"

namespace sotto::text {
namespace {

struct PartNames {
  const char* file;
  char letter;
};
constexpr PartNames kPartNames[kPartsOfSpeech] = {{"noun", 'n'}, {"verb", 'v'}, {"adj", 'a'}, {"adv", 'r'}};

struct SuffixRule {
  std::string_view suffix;
  std::string_view ending;
};
constexpr SuffixRule kNounRules[] = {{"s", ""},      {"ses", "s"},   {"xes", "x"},   {"zes", "z"},
                                     {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"}};
constexpr SuffixRule kVerbRules[] = {{"s", ""},   {"ies", "y"}, {"es", "e"},  {"es", ""},
                                     {"ed", "e"}, {"ed", ""},   {"ing", "e"}, {"ing", ""}};
constexpr SuffixRule kAdjectiveRules[] = {{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}};

std::span<const SuffixRule> suffix_rules(std::string_view word, PartOfSpeech part) {
  switch (part) {
    case PartOfSpeech::noun:
      // "boss" and "as" are not plurals.
      if (word.ends_with("ss") || word.size() <= 2) return {};
      return kNounRules;
    case PartOfSpeech::verb:
      return kVerbRules;
    case PartOfSpeech::adjective:
      return kAdjectiveRules;
    case PartOfSpeech::adverb:
      return {};
  }
  return {};
}

std::string_view text_of(const base::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// Splits a line into its fields, which are separated by blanks.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  /// Empty at the end.
  std::string_view next() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(field.size());
    return field;
  }

  /// A whole number consisting only of digits.
  std::optional<std::uint32_t> next_number(int base = 10) {
    const std::string_view field = next();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
    if (field.empty() || error != std::errc() || end != field.data() + field.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

/// Calls body(line, number) for each line, numbered from 1, until it returns an error.
template <class Body>
Result<void> for_each_line(std::string_view text, const Body& body) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    SOTTO_TRY(body(line, number));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

tl::unexpected<Error> bad_line(const std::filesystem::path& file, std::size_t line, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}, line {}: {}", file.string(), line, what));
}

/// n, v, a, r, or s for a satellite adjective.
std::optional<PartOfSpeech> part_of(std::string_view letter) {
  if (letter == "s") return PartOfSpeech::adjective;
  for (std::size_t i = 0; i < kPartsOfSpeech; ++i)
    if (letter.size() == 1 && letter.front() == kPartNames[i].letter) return static_cast<PartOfSpeech>(i);
  return std::nullopt;
}

std::string to_lower_ascii(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// An adjective's syntactic position is marked as in "galore(ip)".
std::string_view without_marker(std::string_view word) {
  return word.ends_with(')') ? word.substr(0, word.find('(')) : word;
}

}  // namespace

std::string WordNet::digest() const {
  base::Sha256 hash;
  for (const Part& part : parts_)
    for (const base::MappedFile* file : {&part.index_file, &part.data_file, &part.exceptions_file})
      hash.update(
          base::tree_hash(file->bytes()));  // hashed separately, so that no byte can move between files
  return base::to_hex(hash.finish());
}

Result<WordNet> WordNet::open(const std::filesystem::path& folder) {
  WordNet net;
  for (std::size_t i = 0; i < kPartsOfSpeech; ++i) {
    Part& part = net.parts_[i];
    const std::string name = kPartNames[i].file;
    const std::filesystem::path index = folder / ("index." + name);
    const std::filesystem::path exceptions = folder / (name + ".exc");
    part.data_path = folder / ("data." + name);
    SOTTO_ASSIGN(part.data_file, base::MappedFile::open(part.data_path));
    if (part.data_file.bytes().size() > std::numeric_limits<std::uint32_t>::max())
      return fail(Errc::limit, fmt::format("{}: larger than 4 GiB", part.data_path.string()));
    SOTTO_ASSIGN(part.index_file, base::MappedFile::open(index));
    SOTTO_ASSIGN(part.exceptions_file, base::MappedFile::open(exceptions));
    SOTTO_TRY(read_index(part, kPartNames[i].letter, index));
    SOTTO_TRY(read_exceptions(part, exceptions));
  }
  return net;
}

// lemma, part of speech, number of synsets, number of pointer symbols, the symbols, number of senses, number
// of tagged senses, offsets of the synsets.
Result<void> WordNet::read_index(Part& part, char letter, const std::filesystem::path& file) {
  const std::string_view text = text_of(part.index_file);
  part.index.reserve(text.size() / 40);  // a typical line
  const std::size_t data_size = part.data_file.bytes().size();
  return for_each_line(text, [&](std::string_view line, std::size_t number) -> Result<void> {
    if (line.empty() || line.front() == ' ') return {};  // the licence
    Fields fields(line);
    const std::string_view lemma = fields.next();
    if (const std::string_view found = fields.next(); found.size() != 1 || found.front() != letter)
      return bad_line(file, number, fmt::format("'{}' found where '{}' should be", found, letter));
    const auto synsets = fields.next_number();
    const auto symbols = fields.next_number();
    if (!synsets || !symbols || *symbols > line.size())
      return bad_line(file, number, "the numbers of synsets and pointers should follow the part of speech");
    for (std::uint32_t i = 0; i < *symbols; ++i) fields.next();
    if (!fields.next_number() || !fields.next_number())
      return bad_line(file, number, "two numbers of senses should follow the pointers");
    const Range range{static_cast<std::uint32_t>(part.offsets.size()), *synsets};
    for (std::uint32_t i = 0; i < *synsets; ++i) {
      const auto offset = fields.next_number();
      if (!offset) return bad_line(file, number, fmt::format("{} synsets announced, {} found", *synsets, i));
      if (*offset >= data_size)
        return bad_line(file, number, fmt::format("synset {} lies beyond the data file's end", *offset));
      part.offsets.push_back(*offset);
    }
    part.index.try_emplace(lemma, range);
    return {};
  });
}

Result<void> WordNet::read_exceptions(Part& part, const std::filesystem::path& file) {
  return for_each_line(text_of(part.exceptions_file),
                       [&](std::string_view line, std::size_t number) -> Result<void> {
                         if (line.empty()) return {};
                         Fields fields(line);
                         const std::string_view form = fields.next();
                         std::string_view base = fields.next();
                         if (base.empty())
                           return bad_line(file, number, "a form and its base forms should be here");
                         for (; !base.empty(); base = fields.next()) part.exceptions.emplace(form, base);
                         return {};
                       });
}

std::vector<std::string> WordNet::base_forms(std::string_view word, PartOfSpeech part_of_speech) const {
  const Part& part = parts_[static_cast<std::size_t>(part_of_speech)];
  std::vector<std::string> forms;
  const auto keep = [&](std::string form) {
    if (part.index.contains(form) && std::find(forms.begin(), forms.end(), form) == forms.end())
      forms.push_back(std::move(form));
  };
  keep(std::string(word));
  const auto [begin, end] = part.exceptions.equal_range(word);
  for (auto entry = begin; entry != end; ++entry) keep(std::string(entry->second));
  if (begin != end) return forms;
  for (const SuffixRule& rule : suffix_rules(word, part_of_speech))
    if (word.size() > rule.suffix.size() && word.ends_with(rule.suffix))
      keep(std::string(word.substr(0, word.size() - rule.suffix.size())).append(rule.ending));
  return forms;
}

std::vector<Synset> WordNet::synsets(std::string_view word) const {
  std::vector<Synset> found;
  for (std::size_t i = 0; i < kPartsOfSpeech; ++i) {
    const auto part = static_cast<PartOfSpeech>(i);
    for (const std::string& form : base_forms(word, part)) {
      const Range range = parts_[i].index.at(form);
      for (std::uint32_t s = 0; s < range.count; ++s)
        found.push_back({part, parts_[i].offsets[range.begin + s]});
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Its own offset, lexicographer file, type, number of words in hexadecimal, for each the word and a number;
// then the number of pointers, and for each its symbol, the offset and part of speech of the other synset,
// and the numbers of the two words, two hexadecimal digits each.
Result<WordNet::Line> WordNet::read_line(Synset synset) const {
  const Part& part = parts_[static_cast<std::size_t>(synset.part)];
  const std::string_view text = text_of(part.data_file);
  const auto wrong = [&](std::string_view what) {
    const std::string_view before = text.substr(0, synset.offset);
    return bad_line(part.data_path, 1 + std::count(before.begin(), before.end(), '\n'), what);
  };
  const std::string_view rest = text.substr(std::min<std::size_t>(synset.offset, text.size()));
  Fields fields(rest.substr(0, rest.find('\n')));
  if (fields.next_number() != synset.offset)
    return wrong(fmt::format("the index says that synset {} begins here", synset.offset));
  fields.next();
  fields.next();
  const auto count = fields.next_number(16);
  if (!count || *count == 0 || *count > 255) return wrong("the number of words should be 01 to ff");
  Line line;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const std::string_view word = without_marker(fields.next());
    if (word.empty() || !fields.next_number(16))
      return wrong(fmt::format("{} words announced, {} found", *count, i));
    line.words.push_back(word);
  }
  const auto pointers = fields.next_number();
  if (!pointers || *pointers > 999) return wrong("the number of pointers should be 000 to 999");
  for (std::uint32_t i = 0; i < *pointers; ++i) {
    const std::string_view symbol = fields.next();
    const auto offset = fields.next_number();
    const auto other = part_of(fields.next());
    const auto numbers = fields.next_number(16);
    if (!offset || !other || !numbers)
      return wrong(fmt::format("{} pointers announced, {} found", *pointers, i));
    if (symbol == "!") line.antonyms.push_back({*numbers >> 8, {*other, *offset}, *numbers & 0xff});
  }
  return line;
}

Result<std::vector<std::string_view>> WordNet::words(Synset synset) const {
  SOTTO_ASSIGN(Line line, read_line(synset));
  return std::move(line.words);
}

Result<std::vector<std::string>> WordNet::antonyms(std::string_view word) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < kPartsOfSpeech; ++i) {
    const auto part = static_cast<PartOfSpeech>(i);
    for (const std::string& form : base_forms(word, part)) {
      const Range range = parts_[i].index.at(form);
      for (std::uint32_t s = 0; s < range.count; ++s) {
        SOTTO_ASSIGN(const Line line, read_line({part, parts_[i].offsets[range.begin + s]}));
        for (const Antonym& antonym : line.antonyms) {
          if (antonym.from == 0 || antonym.from > line.words.size()) continue;
          if (to_lower_ascii(line.words[antonym.from - 1]) != form) continue;
          SOTTO_ASSIGN(const Line other, read_line(antonym.synset));
          if (antonym.to >= 1 && antonym.to <= other.words.size())
            found.push_back(to_lower_ascii(other.words[antonym.to - 1]));
        }
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace sotto::text
