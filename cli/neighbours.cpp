// sotto model neighbours
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

struct NeighboursArguments {
  std::string model, top = "10";
  std::vector<std::string> words;
  bool json = false;
};

/// A phrase may be given as it appears in texts.
Result<TokenId> find_word(const Model& model, std::string word) {
  TokenId id = model.find(word);
  if (id != model.bottom()) return id;
  std::replace(word.begin(), word.end(), ' ', kPhraseJoint);
  id = model.find(word);
  if (id == model.bottom())
    return fail(Errc::not_found, fmt::format("{}: '{}' is not in its vocabulary", model.name(), word));
  return id;
}

std::string as_text(const Model& model, TokenId word, const std::vector<NearWord>& near) {
  std::string text = fmt::format("{}\n", model.word(word));
  for (const NearWord& neighbour : near)
    text += fmt::format("  {:<32} distance {:.4f}  cosine {:.4f}\n", model.word(neighbour.id),
                        neighbour.distance, neighbour.cosine);
  return text;
}

Result<void> run(const NeighboursArguments& a) {
  SOTTO_ASSIGN(const std::uint64_t top, parse_integer("--top", a.top, 1, 1'000'000));
  SOTTO_ASSIGN(const auto path, find_model(a.model));
  SOTTO_ASSIGN(const auto model, Model::open(path));
  std::vector<TokenId> words;
  for (const std::string& word : a.words) {
    SOTTO_ASSIGN(const TokenId id, find_word(*model, word));
    words.push_back(id);
  }
  SOTTO_ASSIGN(const auto near, nearest_words(*model, words, top));
  if (a.json) return print(neighbours_json(*model, words, near));
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i > 0 ? "\n" : "") + as_text(*model, words[i], near[i]);
  return print(text);
}

}  // namespace

NamedAction add_neighbours(CLI::App& group) {
  auto a = std::make_shared<NeighboursArguments>();
  CLI::App* command = group.add_subcommand("neighbours", "Show the nearest words of words or phrases");
  command->add_option("MODEL", a->model, "Name or path")->required();
  command->add_option("WORD", a->words, "Words of the model, or phrases such as 'new york'")->required();
  command->add_option("--top", a->top, "How many to show")->capture_default_str()->type_name("K");
  command->add_flag("--json", a->json, "Print JSON");
  command->footer("Example:\n  sotto model neighbours sotto-en-phrases 'new york' guitar --top 5");
  return {command, [a] { return run(*a); }};
}

}  // namespace sotto::cli
