#include "evaluate/choose/text_sample.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "evaluate/choose/text_attack.hpp"
#include "pipeline/sample_documents.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::uint64_t kBytesLookedAt = 64ULL << 20;
constexpr std::size_t kDocumentsDrawn = 200;
constexpr std::uint64_t kEnoughWords = 2500;
constexpr std::size_t kWordsPerDocument = 60;
constexpr std::size_t kFrequencyDocuments = 20'000;

/// The part of `text` before word number kWordsPerDocument + 1; adds its words to `words`.
std::string cut_document(const std::string& text, std::uint64_t& words) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::size_t seen = 0;
  std::size_t end = 0;
  for (const Token& token : tokens) {
    const bool is_word = token.token_class == TokenClass::word || token.token_class == TokenClass::other;
    if (is_word && ++seen > kWordsPerDocument) break;
    words += is_word ? 1 : 0;
    end = token.end;
  }
  return text.substr(0, end);
}

/// Takes documents until there are enough words.
ChoiceText measure_documents(std::string source, const std::vector<std::string>& documents,
                             std::uint64_t seen, bool whole) {
  ChoiceText sample;
  sample.facts.source = std::move(source);
  sample.facts.documents_seen = seen;
  sample.facts.whole = whole;
  for (const std::string& document : documents) {
    if (sample.facts.words >= kEnoughWords || sample.documents.size() >= kDocumentsDrawn) break;
    sample.documents.push_back(cut_document(document, sample.facts.words));
  }
  sample.facts.documents = sample.documents.size();
  return sample;
}

std::string source_name(const std::vector<std::filesystem::path>& inputs) {
  const std::string first = inputs.front().filename().string();
  return inputs.size() == 1 ? first : fmt::format("{} and {} more", first, inputs.size() - 1);
}

/// Reading is no measurement, but may be stopped like one.
ProgressCallback stop_when_asked(const ChooseOptions& options) {
  return [&options](std::uint64_t, std::uint64_t) { return !options.progress || options.progress(0, 0); };
}

tl::unexpected<Error> no_words(const std::string& source) {
  return fail(Errc::bad_format, fmt::format("{}: there are no words in it to measure", source));
}

}  // namespace

Result<ChoiceText> sample_private_text(const ChooseOptions& options) {
  if (options.files.inputs.empty())
    return fail(Errc::invalid_argument, "give a file: standard input cannot be read again by the run");
  FileOptions files = options.files;
  files.progress = stop_when_asked(options);
  SOTTO_ASSIGN(const pipeline::SampledTexts drawn,
               pipeline::sample_documents(files, {kDocumentsDrawn, kBytesLookedAt, options.seed}));
  ChoiceText sample =
      measure_documents(source_name(options.files.inputs), drawn.texts, drawn.documents, drawn.whole);
  if (sample.facts.words == 0) return no_words(sample.facts.source);
  return sample;
}

Result<PublicSample> sample_public_text(const ChooseOptions& options) {
  const auto& shipped = public_sentences();
  if (!options.public_text)
    return PublicSample{measure_documents("public sentences of the library", shipped, shipped.size(), true),
                        {}};
  for (const std::filesystem::path& input : options.files.inputs)
    if (std::error_code error; std::filesystem::equivalent(input, *options.public_text, error))
      return fail_parameter("public", options.public_text->string(),
                            fmt::format("'{}' is the private text; give another file", input.string()));
  FileOptions files;
  files.inputs = {*options.public_text};
  files.format = Format::text;
  files.progress = stop_when_asked(options);
  SOTTO_ASSIGN(pipeline::SampledTexts drawn,
               pipeline::sample_documents(files, {kFrequencyDocuments, kBytesLookedAt, options.seed}));
  PublicSample sample{measure_documents(source_name(files.inputs), drawn.texts, drawn.documents, drawn.whole),
                      std::move(drawn.texts)};
  if (sample.text.facts.words == 0) return no_words(sample.text.facts.source);
  return sample;
}

std::vector<double> PublicSample::frequencies(const Model& model) const {
  std::vector<double> weights(model.size(), 1);
  if (frequency_text.empty() && !model.counts().empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = std::max(1.0, static_cast<double>(model.counts()[i]));
    return weights;
  }
  const KnownWords words = KnownWords::of(model, frequency_text.empty() ? text.documents : frequency_text);
  for (const auto& [word, count] : words.counts) weights[word] += static_cast<double>(count);
  return weights;
}

}  // namespace sotto::evaluate
