#include "evaluate/tuning/word_task.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked_value.hpp"
#include "base/compressed_input.hpp"
#include "embed/restricted_model.hpp"
#include "text/utf8.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;

/// A location in a file, for messages.
struct Line {
  std::string file;
  std::uint64_t number = 0;
  std::vector<std::string> fields;  ///< tab-separated, surrounding blanks removed

  tl::unexpected<Error> error(const Message& what) const {
    return fail(Errc::bad_format, base::format_message("{}, line {}: {}", file, number, what));
  }
};

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const text::CodePoint point = text::decode_utf8(text, i);
    if (!point.valid || point.value == 0) return false;
    i += point.size;
  }
  return true;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

Result<void> for_each_line(const std::filesystem::path& file,
                           const std::function<Result<void>(const Line&)>& take) {
  SOTTO_ASSIGN(base::BufferedInput input, base::BufferedInput::open(file));
  Line line{file.string(), 0, {}};
  for (std::string_view text;;) {
    SOTTO_ASSIGN(const bool more, input.next_line(text, kLongestLine));
    if (!more) return {};
    ++line.number;
    if (!is_utf8(text)) return line.error("not UTF-8 text; give a list of words");
    line.fields.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\t', begin), text.size());
      line.fields.push_back(trimmed(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (text.starts_with(';') || (line.fields.size() == 1 && line.fields[0].empty())) continue;
    SOTTO_TRY(take(line));
  }
}

Result<double> parse_field(const Line& line, const std::string& text, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return line.error(fmt::format("the {} is not a number from 0 on", what));
  return value;
}

struct ListedWord {
  std::set<std::string> labels;
  double count = 0;
};

/// The list as given in the files, by word.
class WordTable {
 public:
  static Result<WordTable> read(const WordTaskOptions& options) {
    WordTable table;
    if (!options.table && options.classes.empty())
      return fail_parameter(
          "words", "",
          base::format_message("missing; give a file of words with labels, or {{class_files}} LABEL=FILE"));
    if (options.table)
      SOTTO_TRY(for_each_line(*options.table, [&](const Line& line) { return table.take(line); }));
    for (const auto& [label, file] : options.classes)
      SOTTO_TRY(for_each_line(file, [&table, &of_file = label](const Line& line) -> Result<void> {
        if (line.fields.size() > 1)
          return line.error(
              base::format_message("more than one word; files of {{class_files}} have one word per line"));
        table.add(line.fields[0], of_file, 1);
        return {};
      }));
    if (table.words_.empty())
      return fail(Errc::bad_format,
                  fmt::format("{}: no words in it",
                              (options.table ? *options.table : options.classes[0].second).string()));
    table.listed_ = table.words_.size();
    return table;
  }

  const std::map<std::string, ListedWord>& words() const { return words_; }
  std::uint64_t listed() const { return listed_; }

  /// Removes the words that one of the models lacks.
  Result<void> keep_common(const std::vector<std::shared_ptr<const Model>>& models) {
    std::erase_if(words_, [&](const auto& entry) {
      return std::any_of(models.begin(), models.end(), [&](const std::shared_ptr<const Model>& model) {
        return model->find(entry.first) == model->bottom();
      });
    });
    if (!words_.empty()) return {};
    std::vector<std::string> names;
    for (const auto& model : models) names.push_back(model->name());
    return fail_parameter(
        "words", "",
        fmt::format("none of the {} words is in all of the models {}", listed_, fmt::join(names, ", ")));
  }

 private:
  Result<void> take(const Line& line) {
    if (line.fields.size() > 3 || line.fields[0].empty())
      return line.error("needs a word, and after tabs its label and its count, if any");
    double count = 1;
    if (line.fields.size() == 3) {
      SOTTO_ASSIGN(count, parse_field(line, line.fields[2], "count"));
    }
    add(line.fields[0], line.fields.size() > 1 ? line.fields[1] : "", count);
    return {};
  }

  void add(const std::string& word, const std::string& label, double count) {
    ListedWord& listed = words_[word];
    if (!label.empty()) listed.labels.insert(label);
    listed.count += count;
  }

  std::map<std::string, ListedWord> words_;
  std::uint64_t listed_ = 0;  // before some were removed
};

struct GivenLoss {
  Line line;
  std::string from;
  std::string to;
  double loss;
};

Result<std::vector<GivenLoss>> read_losses(const std::optional<std::filesystem::path>& file) {
  std::vector<GivenLoss> given;
  if (!file) return given;
  SOTTO_TRY(for_each_line(*file, [&](const Line& line) -> Result<void> {
    if (line.fields.size() != 3) return line.error("needs from, to and loss, separated by tabs");
    SOTTO_ASSIGN(const double loss, parse_field(line, line.fields[2], "loss"));
    given.push_back({line, line.fields[0], line.fields[1], loss});
    return {};
  }));
  return given;
}

/// Losses by pair of names; one given for one direction only holds for both.
std::map<std::pair<std::string, std::string>, double> both_ways(const std::vector<GivenLoss>& given) {
  std::map<std::pair<std::string, std::string>, double> losses;
  for (const GivenLoss& loss : given) losses.insert_or_assign({loss.from, loss.to}, loss.loss);
  for (const GivenLoss& loss : given) losses.emplace(std::pair(loss.to, loss.from), loss.loss);
  return losses;
}

/// Maps the words of the table to words of a model, and the losses to losses between these.
class TaskMaker {
 public:
  TaskMaker(const WordTable& table, const WordTaskOptions& options) : table_(table), options_(options) {}

  Result<WordTask> make(std::shared_ptr<const Model> model) {
    SOTTO_ASSIGN(const std::size_t outputs, read_choice("outputs", options_.outputs, kWordTaskOutputNames));
    std::map<TokenId, ListedWord> found = find(*model);
    if (found.empty())
      return fail_parameter(
          "words", "",
          fmt::format("the model '{}' has none of the {} words", model->name(), table_.listed()));
    if (outputs == 0) {
      std::vector<TokenId> kept;
      std::map<TokenId, ListedWord> renumbered;
      for (auto& [word, listed] : found) {
        renumbered.emplace(static_cast<TokenId>(kept.size()), std::move(listed));
        kept.push_back(word);
      }
      found = std::move(renumbered);
      SOTTO_ASSIGN(model, embed::restrict_model(*model, kept));
    }
    SOTTO_ASSIGN(audit::Secrets secrets, choose(*model, found));
    SOTTO_ASSIGN(WordLosses losses, lose(*model, found));
    return WordTask{std::move(model), std::move(secrets), std::move(losses), table_.listed()};
  }

 private:
  /// Words of the list that map to the same word of the model are merged.
  std::map<TokenId, ListedWord> find(const Model& model) const {
    std::map<TokenId, ListedWord> found;
    for (const auto& [word, listed] : table_.words()) {
      const TokenId id = model.find(word);
      if (id == model.bottom()) continue;
      ListedWord& here = found[id];
      here.labels.insert(listed.labels.begin(), listed.labels.end());
      here.count += listed.count;
    }
    return found;
  }

  Result<audit::Secrets> choose(const Model& model, const std::map<TokenId, ListedWord>& found) const {
    SOTTO_ASSIGN(const std::size_t prior, read_choice("prior", options_.prior, kWordTaskPriorNames));
    if (prior == 2 && model.counts().empty())
      return fail_parameter(
          "prior", "counts",
          fmt::format("'counts' is not allowed: the model '{}' has no counts; give list or uniform",
                      model.name()));
    audit::Secrets secrets;
    for (const auto& [word, listed] : found) {
      const double weight = prior == 0   ? listed.count
                            : prior == 1 ? 1
                                         : static_cast<double>(model.counts()[word]);
      if (weight <= 0) continue;
      secrets.words.push_back(word);
      secrets.prior.push_back(weight);
    }
    const double sum = std::accumulate(secrets.prior.begin(), secrets.prior.end(), 0.0);
    if (!(sum > 0))
      return fail_parameter("words", "", "all counts of the words are 0; give some that are not");
    for (double& weight : secrets.prior) weight /= sum;
    return secrets;
  }

  Result<WordLosses> lose(const Model& model, const std::map<TokenId, ListedWord>& found) const {
    SOTTO_ASSIGN(const std::vector<GivenLoss> given, read_losses(options_.losses));
    std::set<std::string> labels;
    bool all_labelled = true;
    for (const auto& [word, listed] : found) {
      labels.insert(listed.labels.begin(), listed.labels.end());
      all_labelled = all_labelled && !listed.labels.empty();
    }
    const bool between_labels = std::all_of(given.begin(), given.end(), [&](const GivenLoss& loss) {
      return labels.contains(loss.from) && labels.contains(loss.to);
    });
    if (given.empty() || between_labels) {
      if (!all_labelled) return unlabelled_words(found);
      return by_class(model, found, both_ways(given));
    }
    return by_word(model, found, given);
  }

  static tl::unexpected<Error> unlabelled_words(const std::map<TokenId, ListedWord>& found) {
    const auto unlabelled = std::count_if(found.begin(), found.end(),
                                          [](const auto& word) { return word.second.labels.empty(); });
    return fail_parameter(
        "words", "",
        base::format_message("{} of {} words have no label; give each word one, or {{losses}} between words",
                             unlabelled, found.size()));
  }

  /// Words with the same labels form one class; the last class is for words outside the list.
  WordLosses by_class(const Model& model, const std::map<TokenId, ListedWord>& found,
                      const std::map<std::pair<std::string, std::string>, double>& between) const {
    std::map<std::set<std::string>, std::uint32_t> classes;
    for (const auto& [word, listed] : found)
      classes.emplace(listed.labels, static_cast<std::uint32_t>(classes.size()));
    const std::size_t count = classes.size() + 1;
    std::vector<std::uint32_t> class_of(model.size(), static_cast<std::uint32_t>(classes.size()));
    for (const auto& [word, listed] : found) class_of[word] = classes.at(listed.labels);
    std::vector<double> losses(count * count, options_.unlabelled_loss);
    for (const auto& [from, i] : classes)
      for (const auto& [to, j] : classes) {
        double least = INFINITY;
        for (const std::string& a : from)
          for (const std::string& b : to) {
            const auto given = between.find({a, b});
            least = std::min(least, given != between.end() ? given->second : a == b ? 0 : 1);
          }
        losses[i * count + j] = least;
      }
    return {std::move(class_of), std::move(losses)};
  }

  Result<WordLosses> by_word(const Model& model, const std::map<TokenId, ListedWord>& found,
                             const std::vector<GivenLoss>& given) const {
    std::vector<std::uint32_t> class_of(model.size(), 1);
    for (const auto& [word, listed] : found) class_of[word] = 0;
    WordLosses losses(std::move(class_of), {1, options_.unlabelled_loss, 1, options_.unlabelled_loss});
    std::map<std::string, TokenId, std::less<>> ids;
    for (const GivenLoss& loss : given)
      for (const std::string& name : {loss.from, loss.to}) {
        if (!table_.words().contains(name))
          return loss.line.error("a name in it is neither a label nor a word of the list");
        ids.emplace(name, model.find(name));
      }
    for (const auto& [pair, loss] : both_ways(given)) {
      const TokenId from = ids.at(pair.first);
      const TokenId to = ids.at(pair.second);
      if (from != model.bottom() && to != model.bottom()) losses.set(from, to, loss);
    }
    return losses;
  }

  const WordTable& table_;
  const WordTaskOptions& options_;
};

}  // namespace

WordLosses::WordLosses(std::vector<std::uint32_t> class_of, std::vector<double> losses)
    : class_of_(std::move(class_of)),
      classes_(static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(losses.size()))))),
      losses_(std::move(losses)),
      largest_(*std::max_element(losses_.begin(), losses_.end())) {}

void WordLosses::set(TokenId in, TokenId out, double loss) {
  pairs_.insert_or_assign(key(in, out), loss);
  largest_ = std::max(largest_, loss);
}

Result<WordTask> WordTask::read(std::shared_ptr<const Model> model, const WordTaskOptions& options) {
  SOTTO_ASSIGN(const WordTable table, WordTable::read(options));
  return TaskMaker(table, options).make(std::move(model));
}

Result<std::vector<WordTask>> WordTask::read_all(const std::vector<std::shared_ptr<const Model>>& models,
                                                 const WordTaskOptions& options) {
  SOTTO_ASSIGN(WordTable table, WordTable::read(options));
  if (models.size() > 1) SOTTO_TRY(table.keep_common(models));
  std::vector<WordTask> tasks;
  for (const auto& model : models) {
    SOTTO_ASSIGN(WordTask task, TaskMaker(table, options).make(model));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace sotto::evaluate
