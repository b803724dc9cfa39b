#include "lm/generation.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

namespace sotto::lm {
namespace {

constexpr std::string_view kParaphrase = "<|paraphrase|>";
constexpr std::string_view kPlace = "{}";
// The prompt of "Locally Differentially Private Document Generation Using Zero Shot Prompting".
constexpr std::string_view kPrompt = "Document : {}\nParaphrase of the document :";

constexpr std::size_t kGenerationBatch = 16;
constexpr EncodeOptions kPlain{.add_special = false, .ranges = false, .special_in_text = false};

bool is_blank(char byte) {
  return static_cast<unsigned char>(byte) <= ' ';
}

/// Makes the text one line of valid UTF-8, because a text of the input may be a line: each run of blanks and
/// control characters becomes one blank.
std::string on_one_line(std::string_view text) {
  std::uint64_t replaced = 0;
  std::string line;
  for (const char byte : replace_invalid_utf8(text, replaced)) {
    if (!is_blank(byte) && byte != '\x7f')
      line += byte;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

Result<std::shared_ptr<const TextWriter>> TextWriter::make(std::shared_ptr<const CausalModel> model,
                                                           std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                           std::string_view prompt) {
  std::shared_ptr<TextWriter> writer(new TextWriter);
  if (!tokenizer->special().eos)
    return fail(Errc::bad_format, "the vocabulary has no token for the end of a text");
  writer->end_ = static_cast<std::int32_t>(*tokenizer->special().eos);
  std::optional<SubwordId> paraphrase;  // its token ends the prompt
  if (prompt.empty()) {
    if (!model->answers()) paraphrase = tokenizer->id(kParaphrase);
    prompt = paraphrase ? kPlace : kPrompt;
  }
  const std::size_t place = prompt.find(kPlace);
  if (place == std::string_view::npos)
    return fail_parameter("parameters.prompt", prompt,
                          fmt::format("'{}' has no {{}} where the text goes", prompt));
  const std::size_t size = std::min<std::size_t>(model->output_size(), tokenizer->size());
  for (std::uint32_t id = 0; id < size; ++id)
    if (!tokenizer->token(id).empty() &&
        (static_cast<std::int32_t>(id) == writer->end_ || (!tokenizer->is_special(id) && id != paraphrase)))
      writer->outcomes_.push_back(id);
  writer->model_ = std::move(model);
  writer->tokenizer_ = std::move(tokenizer);
  writer->frame(prompt.substr(0, place), prompt.substr(place + kPlace.size()), paraphrase);
  return writer;
}

Result<std::shared_ptr<const TextWriter>> TextWriter::open(const std::filesystem::path& folder,
                                                           const LanguageModelResources& resources,
                                                           std::string_view prompt) {
  SOTTO_ASSIGN(LanguageModelBackend* const backend,
               language_model_backend(ModelUse::causal, folder, resources));
  SOTTO_ASSIGN(auto tokenizer, SubwordTokenizer::open(folder));
  SOTTO_ASSIGN(auto model, backend->open_causal(folder, resources));
  return make(std::move(model), std::move(tokenizer), prompt);
}

/// A prompt is assembled from ids, not from characters, so its length is the sum of its parts' lengths,
/// whatever the text is.
void TextWriter::frame(std::string_view before, std::string_view after, std::optional<SubwordId> paraphrase) {
  const std::size_t blanks = before.size() - (before.find_last_not_of(' ') + 1);
  blanks_.assign(blanks, ' ');
  EncodeOptions options = kPlain;
  options.add_special = model_->answers();  // an encoder's input ends with its own token
  const Encoding around = tokenizer_->encode(after, options);
  const auto text = around.ids.begin() + around.first.begin;
  if (paraphrase) before_.push_back(static_cast<SubwordId>(end_));
  before_.insert(before_.end(), around.ids.begin(), text);
  const auto start = tokenizer_->encode(before.substr(0, before.size() - blanks), kPlain).ids;
  before_.insert(before_.end(), start.begin(), start.end());
  after_.assign(text, around.ids.end());
  if (paraphrase) after_.push_back(*paraphrase);
}

Sequence TextWriter::prompt(std::span<const SubwordId> text) const {
  Sequence sequence;
  sequence.ids.reserve(overhead() + text.size());
  for (const std::span<const SubwordId> ids : {std::span(before_), text, std::span(after_)})
    sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
  return sequence;
}

std::vector<SubwordId> TextWriter::ids(std::string_view text) const {
  if (text.empty()) return {};
  return tokenizer_->encode(blanks_ + std::string(text), kPlain).ids;
}

/// A text being generated.
struct GenerationMechanism::Row {
  GenerationDocument* document;
  std::size_t part;
  std::vector<SubwordId> written;
  bool done = false;
};

Result<std::shared_ptr<const GenerationMechanism>> GenerationMechanism::make(
    std::shared_ptr<const TextWriter> writer, const GenerationOptions& options, const LogitBounds& bounds) {
  SOTTO_ASSIGN(LogitLaw law, LogitLaw::make(bounds, options.epsilon, writer->outcomes(), {}));
  std::shared_ptr<GenerationMechanism> mechanism(
      new GenerationMechanism(std::move(writer), options, bounds, std::move(law)));
  if (mechanism->most_input() == 0)
    return fail_parameter("parameters.length", fmt::to_string(options.length),
                          fmt::format("'{}' leaves no room for a text; prompt and output have {} positions",
                                      options.length, mechanism->writer_->model().max_positions()));
  return mechanism;
}

std::size_t GenerationMechanism::good_batch() const {
  return kGenerationBatch;
}

/// How many tokens of a text are read at a time: the output needs room too.
std::size_t GenerationMechanism::most_input() const {
  const CausalModel& model = writer_->model();
  const std::size_t taken = writer_->overhead();
  const std::size_t positions = model.max_positions();
  if (positions <= taken + options_.length) return 0;
  const std::size_t room = positions - taken;
  if (model.answers()) return room;  // input and output have separate positions
  return options_.length > 0 ? room - options_.length : room / 2;
}

void GenerationMechanism::prepare(GenerationDocument& document) const {
  document.parts.clear();
  document.lengths.clear();
  document.draws = 0;
  document.output.clear();
  const std::vector<SubwordId> ids = writer_->ids(document.text);
  const std::size_t most = most_input();
  const auto add_part = [&](std::size_t begin, std::size_t end, std::size_t length) {
    const auto first = ids.begin();
    document.parts.emplace_back(first + static_cast<std::ptrdiff_t>(begin),
                                first + static_cast<std::ptrdiff_t>(end));
    document.lengths.push_back(length);
    document.draws += length;
  };
  if (options_.length > 0)  // as many draws for an empty text as for any other
    return add_part(0, std::min(most, ids.size()), options_.length);
  // Parts of equal size, give or take a token: splitting at words would reveal where words start.
  const std::size_t parts = (ids.size() + most - 1) / most;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = ids.size() * part / parts;
    const std::size_t end = ids.size() * (part + 1) / parts;
    add_part(begin, end, end - begin);
  }
}

Result<void> GenerationMechanism::rewrite(std::span<GenerationDocument> documents,
                                          const DrawsMade& made) const {
  // A document's parts are processed in order, because they draw from one stream.
  std::size_t most_parts = 0;
  for (const GenerationDocument& document : documents)
    most_parts = std::max(most_parts, document.parts.size());
  for (std::size_t part = 0; part < most_parts; ++part) {
    std::vector<Row> rows;
    for (GenerationDocument& document : documents)
      if (part < document.parts.size()) rows.push_back({&document, part, {}, false});
    for (std::size_t begin = 0; begin < rows.size(); begin += kGenerationBatch)
      SOTTO_TRY(write(std::span(rows).subspan(begin, std::min(kGenerationBatch, rows.size() - begin)), made));
  }
  for (GenerationDocument& document : documents) document.output = on_one_line(document.output);
  return {};
}

Result<void> GenerationMechanism::write(std::span<Row> rows, const DrawsMade& made) const {
  const std::size_t size = writer_->model().output_size();
  std::vector<Sequence> prompts;
  for (const Row& row : rows) prompts.push_back(writer_->prompt(row.document->parts[row.part]));
  std::vector<float> logits(rows.size() * size);
  SOTTO_ASSIGN(const auto generation, writer_->model().begin(prompts, logits));
  std::vector<std::int32_t> next(rows.size(), writer_->end());
  LawMemory memory;
  DrawWeights weights;
  while (true) {
    bool more = false;
    std::uint64_t draws = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row& row = rows[i];
      next[i] = writer_->end();
      if (row.done) continue;
      SOTTO_TRY(law_.weigh({std::span(logits).subspan(i * size, size)}, memory, weights));
      const std::uint32_t outcome = law_.sample(weights, *row.document->bits);
      ++draws;
      next[i] = static_cast<std::int32_t>(writer_->outcomes()[outcome]);
      if (next[i] != writer_->end()) row.written.push_back(static_cast<SubwordId>(next[i]));
      row.done = next[i] == writer_->end() || row.written.size() == row.document->lengths[row.part];
      more |= !row.done;
    }
    if (made && !made(draws)) return fail(Errc::interrupted, "interrupted");
    if (!more) break;
    SOTTO_TRY(generation->append(next, logits));
  }
  for (const Row& row : rows) {
    std::string& output = row.document->output;
    if (!output.empty()) output += ' ';
    output += writer_->tokenizer().decode(row.written);
  }
  return {};
}

Guarantee GenerationMechanism::guarantee() const {
  Guarantee guarantee = law_.guarantee();
  guarantee.statement = fmt::format(
      "Each draw is epsilon-differentially private for the whole text, drawn among all {} tokens of the "
      "vocabulary with logits {} [{:.6g}, {:.6g}]; a text has at most as many draws as {}, and the epsilons "
      "of "
      "all of them add up, also of those that an early end left out.",
      law_.size(), bounds_.by_architecture ? "that the model keeps in" : "clipped to", bounds_.lowest,
      bounds_.highest,
      options_.length > 0 ? fmt::format("the fixed {}", options_.length)
                          : std::string("it has tokens, a number that is revealed"));
  return guarantee;
}

}  // namespace sotto::lm
