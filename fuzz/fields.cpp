// JSON Pointers end to end: exactly the strings that an independent reader finds are rewritten, and
// everything else is unchanged.
#include <nlohmann/json.hpp>

#include <sotto/privatize.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "fuzz.hpp"
#include "strange_words.hpp"

namespace {

using namespace sotto;
using fuzz::require;
using Json = nlohmann::ordered_json;
using Steps = std::vector<std::string>;

PrivatizeOptions privatize_options() {
  PrivatizeOptions options;
  options.mechanism.epsilon = 1;
  options.mechanism.model = fuzz::strange_model(true, false).string();
  static const std::filesystem::path key = fuzz::write_scratch("fields.key", std::string(32, 'k'));
  options.key_file = key;
  options.policy.letter_case = CasePolicy::position;  // as in document.cpp
  return options;
}

/// `text` with every "~" and `digit` replaced.
std::string unescaped(std::string_view text, char digit, char by) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '~' && i + 1 < text.size() && text[i + 1] == digit;
    result += is_escape ? by : text[i];
    if (is_escape) ++i;
  }
  return result;
}

Steps steps_of(std::string_view field) {
  if (!field.starts_with('/')) return {std::string(field)};
  Steps steps;
  for (const char byte : field) {
    if (byte == '/')
      steps.emplace_back();
    else
      steps.back() += byte;
  }
  for (std::string& step : steps) step = unescaped(unescaped(step, '1', '/'), '0', '~');
  return steps;
}

/// Skips texts that contain letters of the model after all, through escapes: they prove nothing.
void check_walk(const std::string& text, const std::string& output) {
  std::uint64_t ignored = 0;
  if (fuzz::without_letters(text, fuzz::alphabet(true)) != replace_invalid_utf8(text, ignored)) return;
  fuzz::StrictWalk(text, output, fuzz::alphabet(true)).check(true);
}

/// Replaces whatever the field names by null, in both. Nothing else may differ.
void take_out(Json& in, Json& out, const Steps& steps, std::size_t done, bool is_element) {
  require(in.type() == out.type(), "values keep their types");
  if (done == steps.size()) {
    if (in.is_array() && !is_element) {
      require(in.size() == out.size(), "arrays keep their lengths");
      for (std::size_t i = 0; i < in.size(); ++i) take_out(in[i], out[i], steps, done, true);
      return;
    }
    require(in.is_string() || in.is_null(), "only strings are documents");
    if (in.is_string()) check_walk(in.get<std::string>(), out.get<std::string>());
    in = out = nullptr;
    return;
  }
  const std::string& step = steps[done];
  if (in.is_object() && in.contains(step) && out.contains(step))
    take_out(in[step], out[step], steps, done + 1, false);
  if (!in.is_array()) return;
  require(in.size() == out.size(), "arrays keep their lengths");
  for (std::size_t i = 0; i < in.size(); ++i)
    if (step == "*" || step == std::to_string(i)) take_out(in[i], out[i], steps, done + 1, false);
}

/// The objects of a file; empty if some other reader would not agree that these are objects.
std::vector<Json> objects_of(const std::string& content) {
  Json json = base::parse_json<Json>(content);
  if (json.is_object()) return {json};
  return json.is_array() ? std::vector<Json>(json.begin(), json.end()) : std::vector<Json>();
}

}  // namespace

/// The first line is the field, the rest the file.
SOTTO_FUZZ_TARGET(fields) {
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string field(input.substr(0, line));
  const std::string content =
      fuzz::without_letters(input.substr(std::min(line + 1, input.size())), fuzz::alphabet(true));
  FileOptions files;
  files.inputs = {fuzz::write_scratch("fields", content)};
  files.output = fuzz::scratch() / "fields.out";
  files.format = Format::json;
  files.fields = {field};
  files.missing = MissingField::empty;
  files.allow_empty = true;
  files.threads = 1;
  std::filesystem::remove(*files.output);
  const auto receipt = privatize_files(privatize_options(), files);
  require(receipt.has_value() == std::filesystem::exists(*files.output),
          "an output is there if all went well");
  if (!receipt) return;
  std::vector<Json> before = objects_of(content);
  std::vector<Json> after = objects_of(fuzz::value_of(base::read_file(*files.output)));
  if (before.empty()) return;  // several objects one after another
  require(before.size() == after.size(), "as many objects come out as went in");
  for (std::size_t i = 0; i < before.size(); ++i) {
    take_out(before[i], after[i], steps_of(field), 0, false);
    require(before[i] == after[i], "whatever is not named stays as it is");
  }
}
