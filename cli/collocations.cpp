// sotto collocations count|tokenize
#include "collocations.hpp"

#include <fmt/format.h>

#include "choices.hpp"
#include "command.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct CorpusArguments {
  std::vector<std::string> inputs;
  std::string encoding, format, field = "text", threads;
  bool json = false;
  bool quiet = false;

  void add_options(CLI::App& command) {
    command
        .add_option(
            "FILE", inputs,
            "Text files, one document per line, or JSON lines; plain, gzip, zstd, xz or bzip2 (default: "
            "standard input)")
        ->type_name("");
    add_encoding_option(command, encoding);
    add_corpus_format_options(command, format, field);
    command.add_option("--threads", threads, "Threads (default: one per processor)")->type_name("N");
    command.add_flag("--quiet", quiet, "No progress bar, no summary");
  }

  Result<CorpusFormat> parsed_format() const { return parse_corpus_format(format); }
};

struct CountArguments : CorpusArguments {
  std::string output, counts, min_count = "5", min_pmi = "2.0", connectors = "none", memory = "2G";
  std::vector<std::string> metadata;
};

Result<CountOptions> count_options(const CountArguments& a) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 62;
  CountOptions options;
  options.inputs.assign(a.inputs.begin(), a.inputs.end());
  SOTTO_ASSIGN(options.format, a.parsed_format());
  if (!a.encoding.empty()) options.encoding = a.encoding;
  options.field = a.field;
  options.output = a.output;
  if (!a.counts.empty()) options.counts = a.counts;
  SOTTO_ASSIGN(options.min_count, parse_integer("--min-count", a.min_count, 1, kMany));
  SOTTO_ASSIGN(options.min_pmi, parse_number("--min-pmi", a.min_pmi, -1000, 1000));
  SOTTO_ASSIGN(options.connectors, parse_connector_rule(a.connectors));
  SOTTO_ASSIGN(options.memory, parse_size("--memory", a.memory));
  SOTTO_ASSIGN(options.threads, parse_threads(a.threads));
  SOTTO_ASSIGN(options.metadata, parse_metadata(a.metadata));
  return options;
}

Result<void> count(const CountArguments& a) {
  SOTTO_ASSIGN(CountOptions options, count_options(a));
  SOTTO_ASSIGN(const CountReport report,
               with_progress("B", a.quiet, options, [&] { return count_collocations(options); }));
  if (a.json) return print(to_json(report));
  if (a.quiet) return {};
  return print(fmt::format(
      "{}: {} bigrams and {} trigrams\n"
      "  from {} words in {} documents and {} sentences: {} distinct words, {} pairs, {} triples\n"
      "  sha256 {}\n",
      a.output, report.bigrams, report.trigrams, report.words, report.documents, report.sentences,
      report.distinct_words, report.distinct_bigrams, report.distinct_trigrams, report.sha256));
}

struct TokenizeArguments : CorpusArguments {
  std::string phrases, method, output;
  bool stats = false;
};

Result<void> tokenize(const TokenizeArguments& a) {
  CorpusTokenizeOptions options;
  options.inputs.assign(a.inputs.begin(), a.inputs.end());
  SOTTO_ASSIGN(options.format, a.parsed_format());
  if (!a.encoding.empty()) options.encoding = a.encoding;
  options.field = a.field;
  options.output = a.output;
  options.json = a.json;
  SOTTO_ASSIGN(options.method, parse_segmentation("method", a.method, false));
  SOTTO_ASSIGN(options.threads, parse_threads(a.threads));
  SOTTO_ASSIGN(options.phrases, open_phrases(a.phrases));
  SOTTO_ASSIGN(const CorpusTokenizeReport report,
               with_progress("B", a.quiet, options, [&] { return tokenize_corpus(options); }));
  if (a.stats) fmt::print(stderr, "{}", to_json(report));
  return {};
}

void add_count(CLI::App& group, std::vector<NamedAction>& actions) {
  CLI::App* command =
      group.add_subcommand("count", "Count words, pairs and triples, and write the collocations among them");
  auto a = std::make_shared<CountArguments>();
  a->add_options(*command);
  command->add_option("-o,--output", a->output, "Phrase table to write")->required()->type_name("PHRASES");
  command->add_option("--min-count", a->min_count, "Minimum number of occurrences")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--min-pmi", a->min_pmi, "Minimum pointwise mutual information, in bits")
      ->capture_default_str()
      ->type_name("X");
  command
      ->add_option("--connectors", a->connectors,
                   "Phrases with a, an, the, of, and, …: none; inside (only between two other words); any")
      ->capture_default_str()
      ->type_name("RULE");
  command
      ->add_option("--memory", a->memory,
                   "Memory for counting; the rest goes to temporary files next to the output")
      ->capture_default_str()
      ->type_name("SIZE");
  command->add_option("--counts", a->counts, "Also write every word, pair and triple with its count")
      ->type_name("FILE");
  add_metadata_option(*command, a->metadata);
  command->add_flag("--json", a->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto collocations count corpus.txt -o phrases.safetensors\n"
      "  sotto collocations count part-*.jsonl.zst --field body --min-count 20 --memory 8G -o "
      "phrases.safetensors");
  actions.push_back({command, [a] { return count(*a); }});
}

void add_tokenize(CLI::App& group, std::vector<NamedAction>& actions) {
  CLI::App* command = group.add_subcommand("tokenize", "Cut texts into collocations and single words");
  auto a = std::make_shared<TokenizeArguments>();
  a->add_options(*command);
  command->add_option("--phrases", a->phrases, "Phrase table, or a model that holds one")
      ->required()
      ->type_name("PHRASES");
  command
      ->add_option("--method", a->method,
                   "gst (from the left, longest first), mst (highest score first) or optimal (largest sum)")
      ->required()
      ->type_name("METHOD");
  command
      ->add_option(
          "-o,--output", a->output,
          "File to write (default: standard output); compressed if it ends in .gz, .zst, .xz or .bz2")
      ->type_name("FILE");
  command->add_flag("--json", a->json, "Write {\"tokens\": […]} lines");
  command->add_flag("--stats", a->stats, "Print counts and the sum of scores to standard error");
  command->footer(
      "Example:\n  echo 'She lives in New York City.' | sotto collocations tokenize --phrases "
      "phrases.safetensors "
      "--method gst");
  actions.push_back({command, [a] { return tokenize(*a); }});
}

}  // namespace

void add_corpus_format_options(CLI::App& command, std::string& format, std::string& field) {
  command
      .add_option("--format", format,
                  "text or jsonl (default: jsonl for files named .jsonl or .ndjson, text otherwise)")
      ->type_name("FORMAT");
  command.add_option("--field", field, "Field of JSON lines that holds the document")
      ->capture_default_str()
      ->type_name("NAME");
}

Result<CorpusFormat> parse_corpus_format(std::string_view format) {
  if (format.empty()) return CorpusFormat::by_name;
  SOTTO_ASSIGN(const std::size_t index, parse_choice("--format", format, kCorpusFormatNames));
  return index == 0 ? CorpusFormat::text : CorpusFormat::jsonl;
}

std::vector<NamedAction> add_collocations(CLI::App& app) {
  CLI::App* group =
      app.add_subcommand("collocations", "Find collocations in a corpus, and tokenize with them");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n  sotto collocations count corpus.txt -o phrases.safetensors\n"
      "  sotto collocations tokenize reviews.txt --phrases phrases.safetensors --method mst\n\n"
      "'sotto collocations COMMAND --help' shows more.");
  std::vector<NamedAction> actions;
  add_count(*group, actions);
  add_tokenize(*group, actions);
  add_phrase_queries(*group, actions);
  return actions;
}

}  // namespace sotto::cli
