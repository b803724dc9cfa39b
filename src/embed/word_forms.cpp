#include "embed/word_forms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/safetensors.hpp"
#include "base/tree_hash.hpp"
#include "embed/model_paths.hpp"
#include "text/letter_case.hpp"

namespace sotto::embed {
namespace {

constexpr std::string_view kWordFormsFormat = "sotto-word-forms";
constexpr std::string_view kWordFormsVersion = "1";
// Far more than there are words in any vocabulary.
constexpr std::size_t kLargestFormsTensor = 16 << 20;

tl::unexpected<Error> bad_forms(std::string_view name, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", name, what));
}

bool is_form(std::string_view form) {
  return !form.empty() && std::all_of(form.begin(), form.end(), [](char c) {
    const char lower = text::ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || c == '\'' || c == '-' || c == '.' || c == '_';
  });
}

/// The lines of the file's only tensor.
Result<std::string_view> form_lines(const base::Safetensors& parsed, std::string_view name) {
  const auto is = [&](const char* key, std::string_view value) {
    const auto found = parsed.metadata.find(key);
    return found != parsed.metadata.end() && found->second == value;
  };
  if (!is("format", kWordFormsFormat) || !is("version", kWordFormsVersion))
    return bad_forms(name, fmt::format("is not a table of word forms of version {}", kWordFormsVersion));
  const base::TensorView* const tensor = parsed.find("forms");
  if (tensor == nullptr || tensor->type != base::TensorType::u8 || tensor->shape.size() != 1)
    return bad_forms(name, "there is no list of bytes 'forms'");
  const auto bytes = tensor->elements<char>();
  if (bytes.size() > kLargestFormsTensor)
    return bad_forms(
        name, fmt::format("'forms' has {} bytes; at most {} make sense", bytes.size(), kLargestFormsTensor));
  return std::string_view(bytes.data(), bytes.size());
}

}  // namespace

Result<std::shared_ptr<const WordForms>> WordForms::open(const std::filesystem::path& file) {
  std::shared_ptr<WordForms> forms(new WordForms);
  SOTTO_TRY(forms->read(file));
  return forms;
}

Result<void> WordForms::read(const std::filesystem::path& file) {
  const std::string name = file.string();
  SOTTO_ASSIGN(mapped_, base::MappedFile::open(file));
  SOTTO_ASSIGN(const base::Safetensors parsed, base::parse_safetensors(mapped_.bytes(), name));
  SOTTO_ASSIGN(const std::string_view lines, form_lines(parsed, name));
  SOTTO_TRY(add_forms(lines, name));
  digest_ = base::tree_hash(mapped_.bytes());
  return {};
}

Result<void> WordForms::add_forms(std::string_view lines, std::string_view name) {
  keys_.resize(lines.size());
  text::lower_ascii(lines, keys_.data());
  forms_.reserve(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')));
  std::string_view last;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t size = std::min(lines.find('\n', begin), lines.size()) - begin;
    const std::string_view form = lines.substr(begin, size);
    const std::string_view key(keys_.data() + begin, size);
    if (!is_form(form)) return bad_forms(name, "a form is empty or not of ASCII letters, ' - . and _");
    if (key <= last) return bad_forms(name, "the forms do not ascend");
    forms_.emplace(key, form);
    last = key;
    begin += size + 1;
  }
  return {};
}

Result<std::shared_ptr<const WordForms>> shipped_word_forms() {
  static const auto kForms = []() -> Result<std::shared_ptr<const WordForms>> {
    SOTTO_ASSIGN(const std::filesystem::path file, find_word_forms());
    return WordForms::open(file);
  }();
  return kForms;
}

}  // namespace sotto::embed
