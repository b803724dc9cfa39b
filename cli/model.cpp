// sotto model list|info|neighbours|import|export
#include <algorithm>

#include <fmt/format.h>

#include "choices.hpp"
#include "command.hpp"
#include "error_line.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

std::string kind(const Model& model) {
  if (model.dimension() == 0) return fmt::format("{} lists", model.lists().size());
  return fmt::format("{} dimensions, {} bits", model.dimension(), model.bits());
}

Result<void> list(bool json) {
  std::vector<std::shared_ptr<const Model>> models;
  std::string text;
  for (const std::filesystem::path& path : list_models()) {
    const auto model = Model::open(path);
    if (!model) {
      say(error_line(model.error()));
      continue;
    }
    models.push_back(*model);
    text += fmt::format("{:<24} {:>8} words  {:<24} {}\n", (*model)->name(), (*model)->size(), kind(**model),
                        path.string());
  }
  const std::vector<ListedLanguageModel> language_models = list_language_models();
  for (const ListedLanguageModel& model : language_models)
    text +=
        fmt::format("{:<24} {:<39} {}\n", model.name, "language model, " + model.kind, model.folder.string());
  if (text.empty() && !json) say("no models found; set SOTTO_MODELS to a folder of models, or import one");
  return print(json ? to_json(models, language_models) : text);
}

Result<ModelDetails::Phrases> count_phrases(const Model& model) {
  SOTTO_ASSIGN(const auto table, PhraseTable::open(model.path()));
  ModelDetails::Phrases counts;
  for (PhraseId id = 0; id < table->size(); ++id) {
    const std::string phrase = table->phrase(id);
    ++(std::count(phrase.begin(), phrase.end(), kPhraseJoint) == 1 ? counts.bigrams : counts.trigrams);
  }
  return counts;
}

/// Every phrase of the table must be a word of the model.
Result<void> verify_phrases(const Model& model) {
  SOTTO_ASSIGN(const auto table, PhraseTable::open(model.path()));
  SOTTO_TRY(table->verify());
  std::uint32_t phrases = 0;
  for (TokenId id = 0; id < model.size(); ++id) phrases += table->find(model.word(id)) != kNoPhrase;
  if (phrases != table->size())
    return fail(Errc::bad_format, fmt::format("{}: only {} of its {} phrases are in its vocabulary",
                                              model.path().string(), phrases, table->size()));
  return {};
}

Result<void> info(const std::string& name, bool verify, bool json) {
  SOTTO_ASSIGN(const auto path, find_model(name));
  SOTTO_ASSIGN(const auto model, Model::open(path));
  if (verify) SOTTO_TRY(with_clock(false, [&] { return model->verify(); }));
  ModelDetails details{.verified = verify, .phrases = {}};
  if (model->has_phrases()) {
    SOTTO_ASSIGN(details.phrases, count_phrases(*model));
    if (verify) SOTTO_TRY(verify_phrases(*model));
  }
  if (json) return print(to_json(*model, details));
  std::string text =
      fmt::format("{}\n  file     {}\n  digest   {}\n  sha256   {}{}\n  words    {}\n  content  {}\n",
                  model->name(), path.string(), model->digest(), model->stored_sha256(),
                  verify ? " (verified)" : "", model->size(), kind(*model));
  if (const auto& phrases = details.phrases)
    text += fmt::format("  phrases  {} of two words, {} of three\n", phrases->bigrams, phrases->trigrams);
  for (const WordList& word_list : model->lists())
    text += fmt::format("  list     from {}, starts at '{}'\n", word_list.source,
                        model->word(word_list.order[0]));
  for (const auto& [key, value] : model->metadata()) text += fmt::format("  {:<8} {}\n", key, value);
  return print(text);
}

struct ImportArguments {
  std::string vectors, output, limit = "0", vocabulary, bits = "16";
  std::vector<std::string> metadata;
  bool keep_non_words = false;
  bool json = false;
  bool quiet = false;
};

std::string import_text(const ImportReport& report, const ImportArguments& a) {
  std::string text = fmt::format(
      "{}: {} words of {} dimensions from {}, largest rounding error {:.3g}\nsha256 {}\n", a.output,
      report.words, report.dimension, report.format, report.largest_error, report.sha256);
  if (report.missing > 0)
    text += fmt::format("{} words of {} have no vector\n", report.missing, a.vocabulary);
  if (report.non_words > 0)
    text +=
        fmt::format("{} entries left out: punctuation, numbers and markers (--keep-non-words keeps them)\n",
                    report.non_words);
  if (!report.distances) return text;
  const TypicalDistances& d = *report.distances;
  text += fmt::format(
      "typical distances: {:.3g} to the nearest word, {:.3g} between two random words (medians of {} "
      "words)\n",
      d.nearest, d.random_pair, d.sample);
  return text +
         fmt::format(
             "useful epsilon: about {:.2g} to {:.2g} for santext and tem, {:.2g} to {:.2g} for cmp and "
             "vickrey; "
             "below, 5% of the words stay and the text is noise; above, 95% stay and little is hidden\n",
             d.selection.low, d.selection.high, d.noise.low, d.noise.high);
}

Result<void> import(const ImportArguments& a) {
  ImportOptions options;
  options.vectors = a.vectors;
  options.output = a.output;
  SOTTO_ASSIGN(options.limit, parse_integer("--limit", a.limit, 0, 1'000'000'000));
  if (!a.vocabulary.empty()) options.vocabulary = a.vocabulary;
  SOTTO_ASSIGN(const std::size_t wide, parse_choice("--bits", a.bits, kBitsNames));
  options.bits = wide == 1 ? 16 : 8;
  options.keep_non_words = a.keep_non_words;
  SOTTO_ASSIGN(options.metadata, parse_metadata(a.metadata));
  SOTTO_ASSIGN(const ImportReport report,
               with_progress("B", a.quiet, options, [&] { return import_vectors(options); }));
  return print(a.json ? to_json(report) : import_text(report, a));
}

Result<void> export_model(const std::string& name, const std::string& output, const std::string& to) {
  SOTTO_ASSIGN(const std::size_t format, parse_choice("--to", to, kExportFormatNames));
  SOTTO_ASSIGN(const auto path, find_model(name));
  SOTTO_ASSIGN(const auto model, Model::open(path));
  const ExportFormat wanted = format == 0 ? ExportFormat::word2vec_text : ExportFormat::word2vec_binary;
  return with_clock(false, [&] { return export_vectors(*model, output, wanted); });
}

NamedAction add_model_list(CLI::App& group) {
  CLI::App* command = group.add_subcommand("list", "List the models that can be found, language models too");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer("Example:\n  sotto model list --json");
  return {command, [json] { return list(*json); }};
}

NamedAction add_model_info(CLI::App& group) {
  struct Arguments {
    std::string name;
    bool verify = false;
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = group.add_subcommand("info", "Show what is in a model");
  command->add_option("MODEL", a->name, "Name or path")->required();
  command->add_flag("--verify", a->verify, "Read the whole file and check its SHA-256");
  command->add_flag("--json", a->json, "Print JSON");
  command->footer("Example:\n  sotto model info sotto-en-lists --verify");
  return {command, [a] { return info(a->name, a->verify, a->json); }};
}

NamedAction add_import(CLI::App& group) {
  auto a = std::make_shared<ImportArguments>();
  CLI::App* command = group.add_subcommand("import", "Make a model from word vectors");
  command
      ->add_option("VECTORS", a->vectors,
                   "GloVe, word2vec or fastText vectors, plain, gzip, zstd, xz or bzip2")
      ->required();
  command->add_option("-o,--output", a->output, "Model file to write")->required()->type_name("M");
  command->add_option("--limit", a->limit, "Only the first N words")->type_name("N");
  command
      ->add_option("--vocabulary", a->vocabulary,
                   "Only these words, in this order; lines 'word' or 'word<TAB>count'")
      ->type_name("FILE");
  command->add_option("--bits", a->bits, "8 or 16 bits per entry")->capture_default_str();
  command->add_flag("--keep-non-words", a->keep_non_words,
                    "Import punctuation, numbers and markers such as </s> too");
  add_metadata_option(*command, a->metadata);
  command->add_flag("--json", a->json, "Print JSON");
  command->add_flag("--quiet", a->quiet, "No progress bar");
  command->footer(
      "Example:\n  sotto model import glove.6B.50d.txt.gz -o glove50.safetensors --limit 40000 --metadata "
      "licence=PDDL");
  return {command, [a] { return import(*a); }};
}

NamedAction add_model_export(CLI::App& group) {
  struct Arguments {
    std::string name, output, to = "word2vec-text";
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = group.add_subcommand("export", "Write a model's vectors for other programs");
  command->add_option("MODEL", a->name, "Name or path")->required();
  command->add_option("-o,--output", a->output, "File to write")->required()->type_name("F");
  command->add_option("--to", a->to, "word2vec-text or word2vec-bin")->capture_default_str();
  command->footer("Example:\n  sotto model export sotto-en-skipgram -o vectors.bin --to word2vec-bin");
  return {command, [a] { return export_model(a->name, a->output, a->to); }};
}

}  // namespace

std::vector<NamedAction> add_model(CLI::App& app) {
  CLI::App* group = app.add_subcommand("model", "List, inspect, import and export models");
  group->require_subcommand(1);
  group->footer("Example:\n  sotto model list\n\n'sotto model COMMAND --help' shows more.");
  return {add_model_list(*group), add_model_info(*group), add_neighbours(*group), add_import(*group),
          add_model_export(*group)};
}

}  // namespace sotto::cli
