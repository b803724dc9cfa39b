#include "lm/sentence_encoder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"
#include "lm/tokenizer/json_file.hpp"

namespace sotto::lm {
namespace {

Result<std::size_t> read_longest(const std::filesystem::path& folder) {
  SOTTO_ASSIGN(const Json config, read_optional_json_object(folder / "config.json"));
  const auto found = config.find("max_length");
  if (found == config.end() || !found->is_number_unsigned()) return 0;
  return found->get<std::size_t>();
}

}  // namespace

Result<std::shared_ptr<const SentenceEncoder>> SentenceEncoder::make(
    std::shared_ptr<const SentenceModel> model, std::shared_ptr<const SubwordTokenizer> tokenizer,
    std::size_t longest) {
  std::shared_ptr<SentenceEncoder> encoder(new SentenceEncoder);
  encoder->longest_ = model->max_positions();
  if (longest > 0) encoder->longest_ = std::min(encoder->longest_, longest);
  const std::size_t around = tokenizer->encode("").ids.size();
  if (encoder->longest_ <= around)
    return fail(Errc::bad_format,
                fmt::format("the model takes {} tokens, too few for a text", encoder->longest_));
  encoder->model_ = std::move(model);
  encoder->tokenizer_ = std::move(tokenizer);
  return encoder;
}

Result<std::shared_ptr<const SentenceEncoder>> SentenceEncoder::open(
    const std::filesystem::path& folder, const LanguageModelResources& resources) {
  SOTTO_ASSIGN(LanguageModelBackend* const backend,
               language_model_backend(ModelUse::sentence, folder, resources));
  SOTTO_ASSIGN(auto tokenizer, SubwordTokenizer::open(folder));
  SOTTO_ASSIGN(auto model, backend->open_sentence(folder, resources));
  SOTTO_ASSIGN(const std::size_t longest, read_longest(folder));
  auto encoder = make(std::move(model), std::move(tokenizer), longest);
  if (!encoder) return base::fail_at(folder.string(), std::move(encoder.error()));
  return encoder;
}

/// Truncates a text that is too long, but not the tokens that the template appends.
Sequence SentenceEncoder::sequence(std::string_view text) const {
  const Encoding encoding = tokenizer_->encode(text, {.special_in_text = false});
  Sequence sequence;
  sequence.ids.assign(encoding.ids.begin(), encoding.ids.end());
  if (sequence.ids.size() > longest_) {
    const auto end = sequence.ids.begin() + encoding.first.end;
    sequence.ids.erase(end - static_cast<std::ptrdiff_t>(sequence.ids.size() - longest_), end);
  }
  return sequence;
}

Result<std::vector<float>> SentenceEncoder::encode(std::span<const std::string> texts) const {
  std::vector<Sequence> sequences;
  sequences.reserve(texts.size());
  for (const std::string& text : texts) sequences.push_back(sequence(text));
  std::vector<float> vectors(texts.size() * dimension());
  SOTTO_TRY(model_->encode(sequences, vectors));
  return vectors;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace sotto::lm
