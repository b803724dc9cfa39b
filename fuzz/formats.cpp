// Files end to end: records in, records out. Everything outside the named fields is unchanged, everything in
// them is rewritten as the in-memory path does it, and none of their letters survives.
#include <nlohmann/json.hpp>

#include <sotto/privatize.hpp>

#include "base/file.hpp"
#include "base/text_encoding.hpp"
#include "fuzz.hpp"
#include "strange_words.hpp"

namespace {

using namespace sotto;
using fuzz::require;
using Row = std::vector<std::string>;

PrivatizeOptions privatize_options(bool ascii) {
  PrivatizeOptions options;
  options.mechanism.epsilon = 1;
  options.mechanism.model = fuzz::strange_model(ascii, false).string();
  static const std::filesystem::path key = fuzz::write_scratch("key", std::string(32, 'k'));
  options.key_file = key;
  options.policy.oov = OovPolicy::bottom;  // as in document.cpp
  options.policy.letter_case = CasePolicy::position;
  return options;
}

/// An independent parser: raw fields, quotes included. A quote counts only at the beginning of a field.
std::vector<Row> rows_of(std::string_view data, char delimiter, bool quotes) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < data.size();) {
    rows.push_back({""});
    for (bool ended = false; !ended && i < data.size(); ++i) {
      std::string& field = rows.back().back();
      if (quotes && field.empty() && data[i] == '"') {
        do {
          const std::size_t end = std::min(data.find('"', i + 1), data.size() - 1);
          field += data.substr(i, end + 1 - i);
          i = end + 1;
        } while (i < data.size() && data[i] == '"');
        if (i == data.size()) break;
      }
      if (data[i] == delimiter) {
        rows.back().emplace_back();
      } else if (data[i] == '\n' || data[i] == '\r') {
        if (data.substr(i, 2) == "\r\n") ++i;
        ended = true;
      } else {
        field += data[i];
      }
    }
  }
  return rows;
}

std::string text_of(const std::string& field, bool quotes) {
  if (!quotes || field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  std::string text;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

/// Skips texts that contain letters of the model after all, through escapes: they prove nothing.
void check_walk(std::string_view text, std::string_view output, const fuzz::Alphabet& alphabet) {
  std::uint64_t ignored = 0;
  if (fuzz::without_letters(text, alphabet) != replace_invalid_utf8(text, ignored)) return;
  fuzz::StrictWalk(text, output, alphabet).check(true);
}

void check_rows(std::string_view input, std::string_view output, Format format,
                const fuzz::Alphabet& alphabet) {
  const bool quotes = format == Format::csv;
  const std::vector<Row> before = rows_of(input, quotes ? ',' : '\t', quotes);
  const std::vector<Row> after = rows_of(output, quotes ? ',' : '\t', quotes);
  require(before.size() == after.size(), "as many rows come out as went in");
  for (std::size_t row = 0; row < before.size(); ++row) {
    require(before[row].size() == after[row].size(), "as many fields come out as went in");
    for (std::size_t i = 0; i < before[row].size(); ++i) {
      const bool is_text = row > 0 && before[row] != Row{""} && text_of(before[0][i], quotes) == "doc";
      if (is_text)
        check_walk(text_of(before[row][i], quotes), text_of(after[row][i], quotes), alphabet);
      else
        require(before[row][i] == after[row][i], "fields that are not named stay as they are");
    }
  }
}

std::vector<std::string> lines_of(std::string_view data) {
  std::uint64_t ignored = 0;
  const std::string valid = replace_invalid_utf8(data, ignored);
  std::vector<std::string> lines = {""};
  for (const char byte : valid) {
    if (byte == '\n' || byte == '\r')
      lines.emplace_back();
    else
      lines.back() += byte;
  }
  std::erase_if(lines, [](const std::string& line) { return line.find_first_not_of(" \t") == line.npos; });
  return lines;
}

void check_objects(std::string_view input, std::string_view output, bool has_id, bool ascii) {
  using Json = nlohmann::json;
  static const std::unique_ptr<Privatizer> privatizers[] = {
      fuzz::value_of(Privatizer::make(privatize_options(false))),
      fuzz::value_of(Privatizer::make(privatize_options(true)))};
  const std::vector<std::string> before = lines_of(input);
  const std::vector<std::string> after = lines_of(output);
  require(before.size() == after.size(), "as many objects come out as went in");
  for (std::size_t i = 0; i < before.size(); ++i) {
    Json in = Json::parse(before[i], nullptr, false);
    Json out = Json::parse(after[i], nullptr, false);
    require(in.is_object() && out.is_object(), "what is taken for JSON and what comes out is JSON");
    const Json text = in["doc"];
    const Json rewritten = out["doc"];
    in.erase("doc");
    out.erase("doc");
    require(in == out, "members that are not named stay as they are");
    require(text.is_null() == rewritten.is_null(), "null stays null");
    if (text.is_null()) continue;
    check_walk(text.get<std::string>(), rewritten.get<std::string>(), fuzz::alphabet(ascii));
    if (!has_id || !in["id"].is_string()) continue;
    Counts counts;
    const std::string id = in["id"].get<std::string>();
    require(privatizers[ascii]->privatize({"set", id, "doc"}, text.get<std::string>(), counts) ==
                rewritten.get<std::string>(),
            "files and memory give the same output");
  }
}

}  // namespace

SOTTO_FUZZ_TARGET(formats) {
  const unsigned choice = fuzz::take_byte(input);
  const auto format = static_cast<Format>(choice % 4);
  const bool ascii = choice / 4 % 2 == 0;
  const bool has_id = choice / 8 % 2 == 0 && format != Format::text;
  const fuzz::Alphabet& alphabet = fuzz::alphabet(ascii);
  std::uint64_t ignored = 0;
  const std::string clean = fuzz::without_letters(input, alphabet);
  std::string_view content = clean == replace_invalid_utf8(input, ignored) ? input : clean;
  if (base::compression_by_content(content) != base::Compression::none) return;  // of another target
  FileOptions files;
  files.inputs = {fuzz::write_scratch("formats", content)};
  files.output = fuzz::scratch() / "formats.out";
  files.report = fuzz::scratch() / "formats.json";
  files.statistics = fuzz::scratch() / "formats.statistics";
  files.format = format;
  files.dataset = "set";
  files.threads = 1;
  if (format != Format::text) files.fields = {"doc"};
  if (has_id) files.id_field = "id";
  if (format == Format::csv) files.delimiter = ',';  // the target dialects finds others
  std::filesystem::remove(*files.output);
  const auto receipt = privatize_files(privatize_options(ascii), files);
  require(receipt.has_value() == std::filesystem::exists(*files.output),
          "an output is there if all went well");
  if (!receipt || receipt->format == "json") return;  // the target fields checks arrays
  const std::string written = fuzz::value_of(base::read_file(*files.output));
  std::string_view output = written;
  if (content.starts_with(base::kByteOrderMark)) {
    require(output.starts_with(base::kByteOrderMark), "a byte order mark is kept");
    content.remove_prefix(base::kByteOrderMark.size());
    output.remove_prefix(base::kByteOrderMark.size());
  }
  if (format == Format::jsonl)
    check_objects(content, output, has_id, ascii);
  else if (format == Format::text)
    fuzz::StrictWalk(content, output, alphabet).check(false);  // every line begins a sentence
  else
    check_rows(content, output, format, alphabet);
}
