#include "lm/word_filler.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <sotto/error_text.hpp>
#include <sotto/terminal_text.hpp>
#include <sotto/tokenizer.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/message.hpp"
#include "lm/tokenizer/json_file.hpp"
#include "text/letter_case.hpp"

namespace sotto::lm {
namespace {

// Longer tokens are addresses and the like; the model sees only their beginning.
constexpr std::size_t kMostBytes = 256;

constexpr const char* kWordsFile = "words.txt";
constexpr std::array<std::string_view, 3> kModeNames = {"parallel", "sequential", "one-pass"};

bool is_space_or_control(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

Result<std::vector<std::string>> read_words(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kWordsFile;
  std::error_code ignored;
  std::vector<std::string> words;
  if (!std::filesystem::exists(file, ignored)) return words;
  SOTTO_ASSIGN(const std::string text, base::read_file(file));
  if (!is_valid_utf8(text)) return fail(Errc::bad_format, fmt::format("{}: not valid UTF-8", file.string()));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end == begin)
      return fail(Errc::bad_format, fmt::format("{}: line {} is empty; each line holds a word", file.string(),
                                                words.size() + 1));
    words.push_back(text.substr(begin, end - begin));
    // Such a word would be several in an output, or never be found in a text.
    if (std::any_of(words.back().begin(), words.back().end(), is_space_or_control))
      return fail(Errc::bad_format, fmt::format("{}: line {} is '{}'; each line holds a word", file.string(),
                                                words.size(), visible_text(words.back())));
    begin = end + 1;
  }
  return words;
}

Result<std::vector<MaskedMode>> read_modes(const Json& names) {
  if (!names.is_array() || names.empty()) return fail(Errc::bad_format, "'modes' must be a list of strings");
  std::vector<MaskedMode> modes;
  for (const Json& name : names) {
    auto mode = parse_masked_mode("modes", name.is_string() ? name.get<std::string>() : name.dump());
    if (!mode) return fail(Errc::bad_format, describe(mode.error()));
    modes.push_back(*mode);
  }
  return modes;
}

Result<FillerSettings> read_settings(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  SOTTO_ASSIGN(const Json config, read_optional_json_object(file));
  FillerSettings settings;
  if (const auto window = config.find("window_slots"); window != config.end()) {
    if (!window->is_number_unsigned())
      return fail(Errc::bad_format, fmt::format("{}: 'window_slots' must be a whole number", file.string()));
    settings.window = window->get<std::size_t>();
  }
  if (const auto modes = config.find("modes"); modes != config.end()) {
    auto known = read_modes(*modes);
    if (!known) return base::fail_at(file.string(), std::move(known.error()));
    settings.modes = std::move(*known);
  }
  const auto law = config.find("law");
  if (law == config.end()) return settings;
  const auto kind = parse_law("law", law->is_string() ? law->get<std::string>() : law->dump());
  if (!kind) return fail(Errc::bad_format, fmt::format("{}: {}", file.string(), describe(kind.error())));
  settings.law = *kind;
  return settings;
}

}  // namespace

const char* to_string(MaskedMode mode) {
  return kModeNames[static_cast<std::size_t>(mode)].data();
}

Result<MaskedMode> parse_masked_mode(std::string_view parameter, std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(parameter, name, kModeNames));
  return static_cast<MaskedMode>(index);
}

Result<std::shared_ptr<const WordFiller>> WordFiller::make(std::shared_ptr<const MaskedModel> model,
                                                           std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                           std::vector<std::string> words,
                                                           FillerSettings settings) {
  std::shared_ptr<WordFiller> filler(new WordFiller);
  filler->settings_ = std::move(settings);
  if (!tokenizer->special().mask)
    return fail(Errc::bad_format, "the vocabulary has no mask token, so this is not a masked model");
  if (tokenizer->size() > model->input_size())
    return fail(Errc::bad_format, fmt::format("the vocabulary has {} tokens, but the model takes {}",
                                              tokenizer->size(), model->input_size()));
  filler->mask_ = static_cast<std::int32_t>(*tokenizer->special().mask);
  filler->layout_ = model->piece_count() > 1 ? InputLayout::slots : InputLayout::pair;
  const std::vector<MaskedMode>& modes = filler->settings_.modes;
  if (filler->layout_ == InputLayout::pair &&
      std::find(modes.begin(), modes.end(), MaskedMode::one_pass) != modes.end())
    return fail(Errc::bad_format, "'modes' has one-pass, which is for models that read words as slots");
  filler->model_ = std::move(model);
  filler->tokenizer_ = std::move(tokenizer);
  SOTTO_TRY(filler->take_words(std::move(words)));
  return filler;
}

Result<std::shared_ptr<const WordFiller>> WordFiller::open(const std::filesystem::path& folder,
                                                           const LanguageModelResources& resources) {
  SOTTO_ASSIGN(LanguageModelBackend* const backend,
               language_model_backend(ModelUse::masked, folder, resources));
  SOTTO_ASSIGN(auto tokenizer, SubwordTokenizer::open(folder));
  SOTTO_ASSIGN(std::vector<std::string> words, read_words(folder));
  SOTTO_ASSIGN(auto model, backend->open_masked(folder, resources));
  SOTTO_ASSIGN(const FillerSettings settings, read_settings(folder));
  auto filler = make(std::move(model), std::move(tokenizer), std::move(words), settings);
  if (!filler) return base::fail_at(folder.string(), std::move(filler.error()));
  return filler;
}

Result<void> WordFiller::take_words(std::vector<std::string> words) {
  const std::uint32_t size = model_->output_size();
  if (!words.empty() && words.size() != size)
    return fail(Errc::bad_format,
                fmt::format("{} has {} words, but the model has {} outputs", kWordsFile, words.size(), size));
  for (std::uint32_t i = 0; i < size; ++i) {
    if (words.empty() && !(i < tokenizer_->size() && tokenizer_->is_whole_word(i))) continue;
    std::string word = words.empty() ? tokenizer_->surface(i) : std::move(words[i]);
    numbers_.emplace(text::lookup_form(word), static_cast<std::uint32_t>(words_.size()));
    words_.push_back(std::move(word));
    logits_.push_back(i);
  }
  if (words_.empty()) return fail(Errc::bad_format, "the vocabulary has no token that is a whole word");
  return {};
}

std::optional<std::uint32_t> WordFiller::find(std::string_view word) const {
  const auto found = numbers_.find(text::lookup_form(word));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

void WordFiller::add_pieces(std::string_view token, bool after_blank, std::vector<std::int32_t>& out) const {
  token = token.substr(0, kMostBytes);
  // A model with slots knows words in lower case, and their places by slot.
  const std::vector<SubwordId> ids = layout_ == InputLayout::slots
                                         ? tokenizer_->encode_word(text::lookup_form(token), false)
                                         : tokenizer_->encode_word(token, after_blank);
  const std::size_t most =
      layout_ == InputLayout::slots ? std::min<std::size_t>(kMostPieces, model_->piece_count()) : kMostPieces;
  for (std::size_t i = 0; i < std::min(ids.size(), most); ++i)
    out.push_back(static_cast<std::int32_t>(ids[i]));
}

}  // namespace sotto::lm
