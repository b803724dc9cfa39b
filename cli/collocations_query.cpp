// sotto collocations info|show
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choices.hpp"
#include "collocations.hpp"

namespace sotto::cli {

Result<std::shared_ptr<const PhraseTable>> open_phrases(const std::string& name) {
  std::error_code ignored;
  const bool is_name = name.find('/') == std::string::npos && !name.ends_with(".safetensors");
  if (!is_name || std::filesystem::exists(name, ignored)) return PhraseTable::open(name);
  SOTTO_ASSIGN(const std::filesystem::path path, find_model(name));
  return PhraseTable::open(path);
}

namespace {

std::string with_blanks(std::string phrase) {
  std::replace(phrase.begin(), phrase.end(), kPhraseJoint, ' ');
  return phrase;
}

std::string phrase_line(const PhraseTable& table, PhraseId id) {
  return fmt::format("  {:8.4f} {:>10}  {}\n", table.pmi(id), table.count(id), with_blanks(table.phrase(id)));
}

/// Keeps the first `top` by score or count, highest first, ties in table order.
void keep_top(const PhraseTable& table, std::vector<PhraseId>& ids, std::uint64_t top, bool by_count) {
  const auto before = [&](PhraseId a, PhraseId b) {
    if (by_count && table.count(a) != table.count(b)) return table.count(a) > table.count(b);
    if (!by_count && table.pmi(a) != table.pmi(b)) return table.pmi(a) > table.pmi(b);
    return a < b;
  };
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(top, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), before);
  ids.erase(end, ids.end());
}

struct QueryArguments {
  std::string table, top, by = "pmi";
  std::vector<std::string> words;
  bool verify = false;
  bool json = false;

  Result<bool> by_count() const {
    SOTTO_ASSIGN(const std::size_t index, parse_choice("--by", by, kPhraseOrderNames));
    return index == 1;
  }
  Result<std::uint64_t> parsed_top() const { return parse_integer("--top", top, 0, 1000000000); }
};

Result<void> info(const QueryArguments& a) {
  SOTTO_ASSIGN(const std::uint64_t top, a.parsed_top());
  SOTTO_ASSIGN(const bool by_count, a.by_count());
  SOTTO_ASSIGN(const auto table, open_phrases(a.table));
  if (a.verify) SOTTO_TRY(table->verify());
  std::vector<PhraseId> ids(top == 0 ? 0 : table->size());
  std::iota(ids.begin(), ids.end(), PhraseId{0});
  keep_top(*table, ids, top, by_count);
  if (a.json)
    return print(to_json(*table, {.verified = a.verify, .top = top > 0 ? std::optional(ids) : std::nullopt}));
  std::string text = fmt::format("{}\n  {:<14} {}\n  {:<14} {}\n  {:<14} {}{}\n", table->path().string(),
                                 "phrases", table->size(), "digest", table->digest(), "sha256",
                                 table->stored_sha256(), a.verify ? " (verified)" : "");
  for (const auto& [key, value] : table->metadata()) text += fmt::format("  {:<14} {}\n", key, value);
  if (!ids.empty()) text += fmt::format("\n  {:>8} {:>10}  phrase\n", "pmi", "count");
  for (const PhraseId id : ids) text += phrase_line(*table, id);
  return print(text);
}

bool holds(const std::string& joined, const std::string& words) {
  return fmt::format("_{}_", joined).find(words) != std::string::npos;
}

Result<void> show(const QueryArguments& a) {
  SOTTO_ASSIGN(const std::uint64_t top, a.parsed_top());
  SOTTO_ASSIGN(const bool by_count, a.by_count());
  SOTTO_ASSIGN(const auto table, open_phrases(a.table));
  std::string words = "_";
  for (const std::string& word : a.words) words += word + "_";
  std::replace(words.begin(), words.end(), ' ', kPhraseJoint);
  std::vector<PhraseId> ids;
  for (PhraseId id = 0; id < table->size(); ++id)
    if (holds(table->phrase(id), words)) ids.push_back(id);
  const std::size_t found = ids.size();
  if (found == 0)
    return fail(Errc::not_found, fmt::format("no phrase of {} holds '{}' (words are in lower case)", a.table,
                                             fmt::join(a.words, " ")));
  keep_top(*table, ids, top, by_count);
  if (a.json) return print(phrases_json(*table, found, ids));
  std::string text = fmt::format("  {:>8} {:>10}  phrase\n", "pmi", "count");
  for (const PhraseId id : ids) text += phrase_line(*table, id);
  if (ids.size() < found) text += fmt::format("  … and {} more (--top {})\n", found - ids.size(), found);
  return print(text);
}

void add_options(CLI::App& command, QueryArguments& a) {
  command.add_option("PHRASES", a.table, "Phrase table, or a model that holds one")
      ->required()
      ->type_name("");
  command.add_option("--by", a.by, "Order of --top: pmi or count")->capture_default_str()->type_name("ORDER");
  command.add_flag("--json", a.json, "Print JSON");
}

}  // namespace

void add_phrase_queries(CLI::App& group, std::vector<NamedAction>& actions) {
  CLI::App* command = group.add_subcommand("info", "Show what a phrase table holds");
  auto a = std::make_shared<QueryArguments>();
  a->top = "0";
  add_options(*command, *a);
  command->add_flag("--verify", a->verify, "Read the whole table and compare it with its SHA-256");
  command->add_option("--top", a->top, "Show the first N phrases")->capture_default_str()->type_name("N");
  command->footer("Example:\n  sotto collocations info phrases.safetensors --verify --top 20 --by count");
  actions.push_back({command, [a] { return info(*a); }});

  CLI::App* query = group.add_subcommand("show", "Show the phrases that hold a word, or words in a row");
  auto b = std::make_shared<QueryArguments>();
  b->top = "20";
  add_options(*query, *b);
  query->add_option("WORD", b->words, "Words in lower case")->required()->type_name("");
  query->add_option("--top", b->top, "Show the first N phrases")->capture_default_str()->type_name("N");
  query->footer("Example:\n  sotto collocations show phrases.safetensors new york");
  actions.push_back({query, [b] { return show(*b); }});
}

}  // namespace sotto::cli
