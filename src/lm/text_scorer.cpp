#include "lm/text_scorer.hpp"

#include <algorithm>

#include <sotto/tokenizer.hpp>

#include "base/message.hpp"

namespace sotto::lm {
namespace {

// Texts scored together; the plugin splits them into batches.
constexpr std::size_t kAtOnce = 256;

/// A part of a text: all its ids are read, but only those from `first_new` on are counted.
struct Window {
  std::size_t text;
  std::size_t first_new;
};

std::uint64_t count_words(const std::string& text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  return static_cast<std::uint64_t>(std::count_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.token_class == TokenClass::word || token.token_class == TokenClass::other;
  }));
}

}  // namespace

Result<std::shared_ptr<const TextScorer>> TextScorer::make(
    std::shared_ptr<const CausalModel> model, std::shared_ptr<const SubwordTokenizer> tokenizer) {
  if (model->answers())
    return fail(Errc::invalid_argument,
                "the model answers texts and gives them no probability; give a causal model such as GPT-2");
  if (!tokenizer->special().eos)
    return fail(Errc::bad_format, "the vocabulary has no token for the end of a text");
  std::shared_ptr<TextScorer> scorer(new TextScorer);
  scorer->end_ = static_cast<std::int32_t>(*tokenizer->special().eos);
  scorer->model_ = std::move(model);
  scorer->tokenizer_ = std::move(tokenizer);
  return scorer;
}

Result<std::shared_ptr<const TextScorer>> TextScorer::open(const std::filesystem::path& folder,
                                                           const LanguageModelResources& resources) {
  SOTTO_ASSIGN(LanguageModelBackend* const backend,
               language_model_backend(ModelUse::causal, folder, resources));
  SOTTO_ASSIGN(auto tokenizer, SubwordTokenizer::open(folder));
  SOTTO_ASSIGN(auto model, backend->open_causal(folder, resources));
  auto scorer = make(std::move(model), std::move(tokenizer));
  if (!scorer) return base::fail_at(folder.string(), std::move(scorer.error()));
  return scorer;
}

Result<std::vector<TextScore>> TextScorer::score(std::span<const std::string> texts) const {
  std::vector<TextScore> scores(texts.size());
  std::vector<Sequence> sequences;
  std::vector<Window> windows;
  const auto ask = [&]() -> Result<void> {
    std::size_t answers = 0;
    for (const Sequence& sequence : sequences) answers += sequence.ids.size() - 1;
    std::vector<float> found(answers);
    SOTTO_TRY(model_->score(sequences, found));
    const float* answer = found.data();
    for (std::size_t i = 0; i < windows.size(); ++i)
      for (std::size_t k = 1; k < sequences[i].ids.size(); ++k, ++answer)
        if (k >= windows[i].first_new) scores[windows[i].text].log_probability += *answer;
    sequences.clear();
    windows.clear();
    return {};
  };
  const std::size_t most = model_->max_positions();
  for (std::size_t t = 0; t < texts.size(); ++t) {
    scores[t].words = count_words(texts[t]);
    std::vector<std::int32_t> ids = {end_};
    for (const SubwordId id :
         tokenizer_->encode(texts[t], {.add_special = false, .special_in_text = false}).ids)
      ids.push_back(static_cast<std::int32_t>(id));
    scores[t].tokens = ids.size() - 1;
    std::size_t counted = 1;
    for (std::size_t begin = 0; counted < ids.size(); begin += most / 2) {
      const std::size_t end = std::min(begin + most, ids.size());
      sequences.emplace_back().ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                          ids.begin() + static_cast<std::ptrdiff_t>(end));
      windows.push_back({t, counted - begin});
      counted = end;
    }
    if (sequences.size() >= kAtOnce) SOTTO_TRY(ask());
  }
  if (!sequences.empty()) SOTTO_TRY(ask());
  return scores;
}

}  // namespace sotto::lm
