#include "evaluate/experiment/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/compressed_input.hpp"
#include "base/hash.hpp"
#include "evaluate/experiment/seeds.hpp"
#include "evaluate/experiment/table_reader.hpp"
#include "random/integer_samplers.hpp"
#include "text/letter_case.hpp"

namespace sotto::evaluate {
namespace {

/// The indices of the required columns in a table.
struct ColumnPlaces {
  std::vector<std::size_t> texts;
  std::size_t label = 0;
  std::map<std::string, std::size_t> columns;
  std::vector<std::pair<std::size_t, const std::vector<std::string>*>> keep;
};

/// A column that is not there was misspelled in the description, so the file is not at fault.
Result<std::size_t> described_column(const Table& table, const std::string& name) {
  auto place = table.column(name);
  if (!place) place.error().code = Errc::invalid_argument;
  return place;
}

Result<ColumnPlaces> find_columns(const Table& table, const DatasetEntry& entry,
                                  const std::set<std::string>& columns) {
  ColumnPlaces places;
  for (const std::string& name : entry.text) {
    SOTTO_ASSIGN(const std::size_t place, described_column(table, name));
    places.texts.push_back(place);
  }
  if (!entry.label.empty()) {
    SOTTO_ASSIGN(places.label, described_column(table, entry.label));
  }
  for (const std::string& name : columns) {
    SOTTO_ASSIGN(places.columns[name], described_column(table, name));
  }
  for (const auto& [name, values] : entry.keep) {
    SOTTO_ASSIGN(const std::size_t place, described_column(table, name));
    places.keep.emplace_back(place, &values);
  }
  return places;
}

bool is_kept(const std::vector<std::string>& row, const ColumnPlaces& places) {
  return std::all_of(places.keep.begin(), places.keep.end(), [&](const auto& rule) {
    return std::find(rule.second->begin(), rule.second->end(), row[rule.first]) != rule.second->end();
  });
}

/// The columns that are read from a table.
std::vector<std::string> needed_columns(const DatasetEntry& entry, const std::set<std::string>& columns) {
  std::vector<std::string> needed = entry.text;
  if (!entry.label.empty()) needed.push_back(entry.label);
  needed.insert(needed.end(), columns.begin(), columns.end());
  for (const auto& [name, values] : entry.keep) needed.push_back(name);
  return needed;
}

/// All rows of a file that pass the filter.
Result<DataSplit> read_split(const SplitSource& source, const DatasetEntry& entry,
                             const std::filesystem::path& folder, const std::set<std::string>& columns) {
  SOTTO_ASSIGN(Table table, read_table(folder / source.path, source.format, source.header, source.columns,
                                       {source.delimiter, needed_columns(entry, columns)}));
  SOTTO_ASSIGN(const ColumnPlaces places, find_columns(table, entry, columns));
  DataSplit split;
  split.texts.resize(entry.text.size());
  for (std::vector<std::string>& row : table.rows) {
    if (!is_kept(row, places)) continue;
    if (!entry.label.empty()) split.labels.push_back(row[places.label]);
    for (const auto& [name, place] : places.columns) split.columns[name].push_back(row[place]);
    for (std::size_t i = 0; i < places.texts.size(); ++i)
      split.texts[i].push_back(prepare_text(row[places.texts[i]], source.prepare));
  }
  return split;
}

/// The numbers from 0 to count − 1 in random order (Fisher–Yates shuffle).
std::vector<std::size_t> permutation(std::size_t count, const random::Key& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random::ChaChaBitSource bits(key);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random::uniform_below(bits, i)]);
  return order;
}

std::vector<std::string> pick(const std::vector<std::string>& values, const std::vector<std::size_t>& rows) {
  std::vector<std::string> picked;
  picked.reserve(rows.size());
  for (const std::size_t row : rows) picked.push_back(values[row]);
  return picked;
}

void add_to(base::Sha256& hash, std::string_view name, const std::vector<std::string>& values) {
  hash.update(fmt::format("{} {}\n", name, values.size()));
  for (const std::string& value : values) {
    hash.update(fmt::format("{}:", value.size()));
    hash.update(value);
  }
}

/// The first `limit` of the rows, or all of them, in file order.
DataSplit sample(const DataSplit& whole, std::vector<std::size_t> rows, std::uint64_t limit) {
  if (rows.size() > limit) rows.resize(limit);
  std::sort(rows.begin(), rows.end());
  DataSplit split;
  base::Sha256 hash;
  for (const auto& texts : whole.texts) {
    split.texts.push_back(pick(texts, rows));
    add_to(hash, "text", split.texts.back());
  }
  if (!whole.labels.empty()) split.labels = pick(whole.labels, rows);
  add_to(hash, "label", split.labels);
  for (const auto& [name, values] : whole.columns) {
    split.columns[name] = pick(values, rows);
    add_to(hash, name, split.columns[name]);
  }
  split.digest = base::to_hex(hash.finish());
  return split;
}

/// Distributes the rows of a file to its split and to those that take a share of it.
class Dealer {
 public:
  Dealer(const DatasetEntry& entry, const DatasetRequest& request, DatasetSplits& out)
      : entry_(entry), request_(request), out_(out) {}

  Result<void> deal(const SplitSource& source, const std::filesystem::path& folder) {
    std::vector<const SplitSource*> takers;
    bool needed = request_.splits.contains(source.name);
    for (const SplitSource& other : entry_.splits) {
      if (other.from != source.name) continue;
      takers.push_back(&other);
      needed |= request_.splits.contains(other.name);
    }
    if (!needed) return {};
    SOTTO_ASSIGN(const DataSplit whole, read_split(source, entry_, folder, request_.columns));
    if (whole.size() == 0)
      return fail(Errc::bad_format, fmt::format("{}: no row is left", source.path.string()));
    std::vector<std::size_t> rows =
        permutation(whole.size(), experiment_key(request_.seed, entry_.name + " " + source.name));
    for (const SplitSource* taker : takers) {
      const auto count =
          static_cast<std::size_t>(std::llround(taker->share * static_cast<double>(whole.size())));
      const std::size_t left = rows.size() - std::min(count, rows.size());
      give(*taker, whole, {rows.begin() + static_cast<std::ptrdiff_t>(left), rows.end()});
      rows.resize(left);
    }
    give(source, whole, rows);
    return {};
  }

 private:
  void give(const SplitSource& split, const DataSplit& whole, std::vector<std::size_t> rows) {
    if (!request_.splits.contains(split.name)) return;
    const auto limit = request_.rows.find(split.name);
    out_[split.name] =
        sample(whole, std::move(rows), limit == request_.rows.end() ? ~std::uint64_t{0} : limit->second);
  }

  const DatasetEntry& entry_;
  const DatasetRequest& request_;
  DatasetSplits& out_;
};

}  // namespace

Result<DatasetSplits> load_dataset(const DatasetEntry& entry, const std::filesystem::path& folder,
                                   const DatasetRequest& request) {
  DatasetSplits splits;
  Dealer dealer(entry, request, splits);
  for (const SplitSource& source : entry.splits)
    if (source.from.empty()) SOTTO_TRY(dealer.deal(source, folder));
  for (const std::string& name : request.splits)
    if (!splits.contains(name))
      return fail(Errc::not_found, fmt::format("data set '{}' has no split '{}'", entry.name, name));
  return splits;
}

std::string prepare_text(std::string_view text, TextPreparation preparation) {
  std::uint64_t replaced = 0;
  std::string valid = replace_invalid_utf8(text, replaced);
  if (preparation == TextPreparation::none) return valid;
  std::vector<Token> tokens;
  tokenize(valid, tokens);
  std::string words;
  for (const Token& token : tokens) {
    if (token.token_class != TokenClass::word) continue;
    // The only markup in the reviews is <br />.
    if (token.begin > 0 && valid[token.begin - 1] == '<') continue;
    const std::string word =
        text::lookup_form(std::string_view(valid).substr(token.begin, token.end - token.begin));
    if (is_stopword(word)) continue;
    words += words.empty() ? "" : " ";
    words += word;
  }
  return words;
}

Result<LabelledWords> load_word_list(const WordListEntry& entry, const std::filesystem::path& folder) {
  constexpr std::size_t kLongestLine = 1 << 20;
  LabelledWords list;
  std::unordered_set<std::string> seen;
  for (const auto& [word_class, path] : entry.files) {
    SOTTO_ASSIGN(base::BufferedInput input, base::BufferedInput::open(folder / path));
    std::string_view line;
    for (;;) {
      SOTTO_ASSIGN(const bool more, input.next_line(line, kLongestLine));
      if (!more) break;
      const std::string_view word = line.substr(0, line.find('\t'));
      if (word.empty() || word.front() == ';' || !is_valid_utf8(word)) continue;
      if (!seen.insert(std::string(word)).second) continue;
      list.words.emplace_back(word);
      list.classes.push_back(word_class);
    }
  }
  return list;
}

}  // namespace sotto::evaluate
