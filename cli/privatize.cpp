// sotto privatize
#include <fmt/format.h>
#include <unistd.h>

#include <sotto/input_encoding.hpp>
#include <sotto/key_file.hpp>

#include "command.hpp"
#include "config_file.hpp"
#include "interruption.hpp"
#include "preview_table.hpp"
#include "privatize_summary.hpp"
#include "progress_bar.hpp"
#include "record_options.hpp"
#include "terminal.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kPrivatizeFooter =
    R"(Each word becomes another word, drawn with stated probabilities; the receipt (--report) states what is
guaranteed and what is still revealed. Without FILE it reads standard input, without -o it writes standard output.

Examples:
  echo 'The soup was cold.' | sotto privatize -m tem -e 12
  sotto privatize reviews.txt -m tem -e 12 --preview 5
  sotto privatize reviews.txt -o private.txt -m tem -e 12 --report receipt.json
  sotto privatize tickets.csv --field subject --field body --id-field id -m tem -e 12 -o private.csv
  sotto privatize export.csv.gz --encoding windows-1252 --field comment -m tem -e 12 -o private.csv.gz
  sotto privatize export.csv --delimiter ';' --no-header --field 3 -m tem -e 12 -o private.csv
  sotto privatize chats.json --field '/messages/*/body' --id-field /meta/id --missing empty -m tem -e 12 -o private.json
  sotto privatize notes.jsonl --field text -m tem -e 12 --key-file secret.key --resume -o private.jsonl
  sotto privatize notes.jsonl --field text -m tem -e 12 --key-file secret.key --ledger spent.ledger --subject author --limit 500
  sotto privatize big.txt -m tem -e 12 --shard 2/3 --key-file secret.key -o private.2.txt
  sotto privatize reviews.txt --mechanism cmp --document-epsilon 200 --report receipt.json
  sotto privatize reviews.txt --mechanism dp-mlm --epsilon 25 --report receipt.json
  sotto privatize reviews.txt --mechanism cmp --model sotto-en-phrases --budget S3 --base-epsilon 10 --average-words 20

Make a key file with: (umask 077; head -c 32 /dev/urandom > secret.key)
A configuration file holds the same options by their long names, for example:
  epsilon: 0.5
  field: [subject, body]
  set: {lists: L1})";

struct PrivatizeArguments {
  CLI::App* command = nullptr;
  MechanismChoice choice;
  std::vector<std::string> inputs;
  RecordOptions records;
  std::string output, output_encoding, policy = "strict", report, statistics, seed, key_file, dataset,
                                       id_field, threads, shard, config;
  std::string max_document_bytes, memory, target = "nominal", epsilon_chosen_on;
  std::string ledger, subject, limit;
  std::string device, precision, delta;
  std::string preview;
  std::string document_epsilon, base_epsilon, average_words, budget, profile, collocations, phrases;
  std::map<std::string, std::string> policy_parts;
  bool resume = false;
  bool allow_empty = false;
  bool unique_ids = false;
  bool quiet = false;
};

void add_input_options(CLI::App& command, PrivatizeArguments& a) {
  command.add_option("FILE", a.inputs,
                     "Input files, plain or compressed (gzip, zstd, xz, bzip2); none: standard input");
  command
      .add_option("-o,--output", a.output,
                  "Output file; it appears only when it is complete. Compressed if it ends in .gz, .zst, .xz "
                  "or .bz2")
      ->type_name("OUT");
  a.records.add_options(command);
  command
      .add_option("--output-encoding", a.output_encoding,
                  "Encoding of the output (default: that of the input; its byte order mark is kept). A "
                  "character that the encoding lacks is an error")
      ->type_name("NAME");
  command
      .add_option("--id-field", a.id_field,
                  "Field that identifies a record, named as for --field (default: the record number)")
      ->type_name("NAME");
  command.add_flag("--unique-ids", a.unique_ids,
                   "A second record with the same id is an error; 48 bytes per id");
  command.add_flag("--allow-empty", a.allow_empty, "Accept an input whose records hold no document at all");
  command.add_option("--dataset", a.dataset, "Namespace of the ids (default: the input's base name)")
      ->type_name("NAME");
  command
      .add_option("--max-document-bytes", a.max_document_bytes,
                  "Longer documents are an error (default: 16M)")
      ->type_name("SIZE");
}

void add_policy_options(CLI::App& command, PrivatizeArguments& a) {
  command.add_option("--policy", a.policy, "strict or paper: what happens to each class of token")
      ->capture_default_str();
  const auto part = [&](const std::string& name, const std::string& description) {
    command.add_option("--" + name, a.policy_parts[name], description)->type_name("WHAT");
  };
  part("stopwords", "privatize or keep");
  part("oov",
       "Words outside the vocabulary: nearest (mapped to a word by a public function of the characters), "
       "bottom (one input for all), keep or drop");
  part("numbers", "random, keep or drop");
  part("punctuation", "keep or drop");
  part("case", "Capitals: natural (as public text writes the output word), position, keep or lower");
  part("articles", "a and an: agree (with the next word of the output) or keep");
}

void add_budget_options(CLI::App& command, PrivatizeArguments& a) {
  command
      .add_option("--document-epsilon", a.document_epsilon,
                  "Instead of --epsilon: epsilon per document, shared among its tokens")
      ->type_name("E");
  command
      .add_option("--base-epsilon", a.base_epsilon,
                  "With --average-words: a document's epsilon is their product")
      ->type_name("E");
  command
      .add_option("--average-words", a.average_words,
                  "Words of an average document, a public figure; never computed from the input")
      ->type_name("N");
  command
      .add_option(
          "--budget", a.budget,
          "token: --epsilon for each token; even, words, positions, S1 to S4: shares of the document's "
          "epsilon (default: even)")
      ->type_name("STRATEGY");
  command.add_option("--profile", a.profile, "Public weights along a document, for --budget positions")
      ->type_name("W,W,...");
  command
      .add_option("--collocations", a.collocations,
                  "Privatize groups of up to three words as one token: gst, mst or optimal")
      ->type_name("METHOD");
  command.add_option("--phrases", a.phrases, "Phrase table for --collocations (default: the model's own)")
      ->type_name("FILE");
}

void add_run_options(CLI::App& command, PrivatizeArguments& a) {
  command
      .add_option("--target", a.target,
                  "nominal; certified: --epsilon is an upper bound for the certificate (see 'sotto audit')")
      ->capture_default_str()
      ->type_name("WHAT");
  command
      .add_option(
          "--preview", a.preview,
          "Show the first N documents before and after, under a throwaway key; nothing is written or charged")
      ->type_name("N");
  command
      .add_option("--epsilon-chosen-on", a.epsilon_chosen_on,
                  "What epsilon was chosen by looking at, for the receipt: public-text or private-text")
      ->type_name("WHAT");
  command.add_option("--report", a.report, "Write the receipt, as JSON, to this file; -: to standard output")
      ->type_name("FILE");
  command
      .add_option("--statistics", a.statistics,
                  "Write exact counts of the input to this file, or - for standard output; confidential, not "
                  "covered by the guarantee")
      ->type_name("FILE");
  command.add_option("--key-file", a.key_file, "32 secret bytes; the same key gives the same output")
      ->type_name("FILE");
  command.add_option("--seed", a.seed, "Public noise for experiments: the output is not private")
      ->type_name("N");
  command.add_option("--threads", a.threads, "Threads (default: one per processor)")->type_name("N");
  command
      .add_option("--memory", a.memory, "Memory for tables and caches (default: 512M); changes speed only")
      ->type_name("SIZE");
  command.add_option("--device", a.device, "Where a language model runs: cpu or cuda (default: cpu)")
      ->type_name("WHERE");
  command
      .add_option(
          "--precision", a.precision,
          "Precision of a language model's weights: f32, int8 or auto, as they are stored (default: auto)")
      ->type_name("WHAT");
  command
      .add_option("--delta", a.delta,
                  "Delta of the figure besides epsilon in a language model's receipt (default: 1e-6)")
      ->type_name("D");
  command.add_option("--ledger", a.ledger, "Record what each subject spends; needs --key-file")
      ->type_name("FILE");
  command
      .add_option("--subject", a.subject,
                  "Field that says whose account is charged, named as for --field; for --ledger")
      ->type_name("FIELD");
  command.add_option("--limit", a.limit, "Epsilon a subject may spend in total; for --ledger")
      ->type_name("E");
  command.add_option("--shard", a.shard, "Only part i of N (contiguous records)")->type_name("i/N");
  command.add_flag("--resume", a.resume, "Resume an interrupted run; needs --key-file and -o");
  command.add_option("--config", a.config, "Options from a YAML file; the command line takes precedence")
      ->type_name("FILE.yaml");
  command.add_flag("--quiet", a.quiet, "No progress bar and no summary");
}

tl::unexpected<Error> refuse(std::string message) {
  return fail(Errc::invalid_argument, std::move(message));
}

/// The budget per document; empty if --epsilon applies to each token.
Result<std::optional<double>> document_epsilon(const PrivatizeArguments& a) {
  if (!a.document_epsilon.empty() && !a.base_epsilon.empty())
    return refuse("--base-epsilon: cannot be given together with --document-epsilon; give one of them");
  if (a.base_epsilon.empty() != a.average_words.empty())
    return refuse(a.base_epsilon.empty()
                      ? "--base-epsilon: missing; it is multiplied by --average-words"
                      : "--average-words: missing; give the words of an average document, from public "
                        "knowledge");
  if (!a.document_epsilon.empty()) return parse_epsilon("--document-epsilon", a.document_epsilon);
  if (a.base_epsilon.empty()) return std::nullopt;
  SOTTO_ASSIGN(const double base, parse_epsilon("--base-epsilon", a.base_epsilon));
  SOTTO_ASSIGN(const double words, parse_number("--average-words", a.average_words, 1, 1e9));
  return validate_epsilon("--base-epsilon times --average-words", base * words);
}

/// Refuses --collocations and --stopwords if the name of the budget determines something else.
Result<void> check_contradictions(const PrivatizeArguments& a, const NamedBudget& named,
                                  const PrivatizeOptions& options) {
  if (!a.collocations.empty() && named.collocations && *named.collocations != options.collocations)
    return refuse(fmt::format(
        "--collocations: '{}' contradicts --budget {}, which means {}; leave one out", a.collocations,
        a.budget,
        *named.collocations == Segmentation::none ? "single words" : to_string(*named.collocations)));
  const auto stopwords = a.policy_parts.find("stopwords");
  if (stopwords != a.policy_parts.end() && !stopwords->second.empty() && named.stopwords &&
      *named.stopwords != options.policy.stopwords)
    return refuse(fmt::format("--stopwords: '{}' contradicts --budget {}, which means {}; leave one out",
                              stopwords->second, a.budget, to_string(*named.stopwords)));
  return {};
}

/// Determines the tokens and the ε of each.
Result<void> set_budget(const PrivatizeArguments& a, PrivatizeOptions& options) {
  SOTTO_ASSIGN(const auto of_document, document_epsilon(a));
  if (of_document && !a.choice.epsilon.empty())
    return refuse("--epsilon: cannot be given together with a document's epsilon; give one of them");
  const std::string budget = !a.budget.empty() ? a.budget : of_document ? "even" : "token";
  SOTTO_ASSIGN(const NamedBudget named, parse_named_budget(budget));
  if (!a.collocations.empty()) {
    SOTTO_ASSIGN(options.collocations, parse_segmentation("collocations", a.collocations, false));
  }
  SOTTO_TRY(check_contradictions(a, named, options));
  if (named.strategy != BudgetStrategy::token && !of_document)
    return refuse(
        fmt::format("--budget: '{}' needs --document-epsilon, or --base-epsilon and "
                    "--average-words",
                    a.budget));
  SOTTO_TRY(apply_named_budget(budget, of_document.value_or(0), options));
  if (!a.phrases.empty()) options.phrases = a.phrases;
  if (options.document_budget) {
    if (a.profile.empty()) return {};
    SOTTO_ASSIGN(options.document_budget->profile, parse_position_profile(a.profile));
    return {};
  }
  if (!a.profile.empty()) return refuse("--profile: only --budget positions takes one");
  if (a.choice.epsilon.empty())
    return refuse("--epsilon: missing; give a number from 1e-9 to 1e6, or --document-epsilon");
  SOTTO_ASSIGN(options.mechanism.epsilon, a.choice.parsed_epsilon());
  return {};
}

/// Sets what applies only to mechanisms with a language model.
Result<void> set_language_model(const PrivatizeArguments& a, PrivatizeOptions& options) {
  for (const auto& [option, value] : {std::pair("--device", &a.device),
                                      std::pair("--precision", &a.precision), std::pair("--delta", &a.delta)})
    if (!value->empty() && !rewrites_whole_texts(options.mechanism.name))
      return refuse(fmt::format("{}: '{}' is for mechanisms with a language model; {} uses none", option,
                                *value, options.mechanism.name));
  options.language.go_on = [] { return !interrupted(); };
  if (!a.device.empty()) {
    SOTTO_ASSIGN(options.language.device, parse_device(a.device));
  }
  if (!a.precision.empty()) {
    SOTTO_ASSIGN(options.language.precision, parse_precision(a.precision));
  }
  if (!a.delta.empty()) {
    SOTTO_ASSIGN(options.delta, parse_number("--delta", a.delta, 1e-300, 1 - 1e-9));
  }
  return {};
}

Result<PrivatizeOptions> privatize_options(const PrivatizeArguments& a) {
  PrivatizeOptions options;
  options.mechanism.name = a.choice.mechanism;
  SOTTO_TRY(find_mechanism(options.mechanism.name));
  SOTTO_ASSIGN(options.mechanism.parameters, a.choice.parsed_settings());
  options.mechanism.model = a.choice.model;
  SOTTO_ASSIGN(options.target, parse_target(a.target));
  if (!a.epsilon_chosen_on.empty()) {
    SOTTO_ASSIGN(options.epsilon_chosen_on, parse_epsilon_basis(a.epsilon_chosen_on));
  }
  SOTTO_ASSIGN(options.policy, parse_policy(a.policy));
  for (const auto& [part, value] : a.policy_parts)
    if (!value.empty()) SOTTO_TRY(set_policy_part(options.policy, part, value));
  SOTTO_TRY(set_budget(a, options));
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  options.unique_ids = a.unique_ids;
  if (!a.key_file.empty()) options.key_file = a.key_file;
  if (!a.memory.empty()) {
    SOTTO_ASSIGN(options.mechanism.resources.memory, parse_size("--memory", a.memory));
  }
  SOTTO_TRY(set_language_model(a, options));
  if (!a.max_document_bytes.empty()) {
    SOTTO_ASSIGN(options.max_document_bytes, parse_size("--max-document-bytes", a.max_document_bytes));
    if (options.max_document_bytes > kLargestMaxDocumentBytes)
      return fail(
          Errc::invalid_argument,
          fmt::format("--max-document-bytes: '{}' is not allowed; give at most 2G", a.max_document_bytes));
  }
  return options;
}

Result<std::optional<LedgerOptions>> ledger_options(const PrivatizeArguments& a) {
  if (a.ledger.empty()) {
    for (const auto& [option, value] : {std::pair("--subject", &a.subject), std::pair("--limit", &a.limit)})
      if (!value->empty())
        return fail(Errc::invalid_argument, fmt::format("{}: '{}' needs --ledger FILE", option, *value));
    return std::nullopt;
  }
  LedgerOptions ledger;
  ledger.file = a.ledger;
  ledger.subject_field = a.subject;
  if (a.limit.empty())
    return fail(Errc::invalid_argument,
                "--limit: missing; give the epsilon that a subject may spend in total");
  SOTTO_ASSIGN(ledger.limit, parse_number("--limit", a.limit, 1e-9, kLargestLimit));
  return ledger;
}

Result<FileOptions> file_options(const PrivatizeArguments& a) {
  FileOptions files;
  files.inputs.assign(a.inputs.begin(), a.inputs.end());
  if (files.inputs.size() == 1 && files.inputs.front() == "-") files.inputs.clear();
  if (!a.output.empty() && a.output != "-") files.output = a.output;
  if (!a.report.empty()) files.report = a.report;
  if (!a.statistics.empty()) files.statistics = a.statistics;
  SOTTO_TRY(a.records.apply_to(files));
  files.output_encoding = a.output_encoding;
  files.dataset = a.dataset;
  files.id_field = a.id_field;
  SOTTO_ASSIGN(files.threads, parse_threads(a.threads));
  if (!a.shard.empty()) {
    SOTTO_ASSIGN(files.shard, parse_shard(a.shard));
  }
  files.resume = a.resume;
  files.allow_empty = a.allow_empty;
  SOTTO_ASSIGN(files.ledger, ledger_options(a));
  return files;
}

/// No bar among the lines of somebody who types at a terminal, or reads the output on one.
bool hides_bar(const PrivatizeArguments& a, const FileOptions& files) {
  return a.quiet || (files.inputs.empty() && ::isatty(STDIN_FILENO) != 0) ||
         (!files.output && ::isatty(STDOUT_FILENO) != 0);
}

/// Shows what a run would do. It says so last, where it is read.
Result<void> show_preview(const PrivatizeArguments& a, const PrivatizeOptions& options, FileOptions& files) {
  SOTTO_ASSIGN(const std::uint64_t most, parse_integer("--preview", a.preview, 1, 1000));
  SOTTO_ASSIGN(const Preview preview,
               with_progress("B", a.quiet, files, [&] { return preview_files(options, files, most); }));
  SOTTO_TRY(print(preview_table(preview, terminal_width(STDOUT_FILENO), wants_colours(STDOUT_FILENO))));
  if (a.quiet) return {};
  if (preview.documents.empty())
    say("there is no document to show");
  else
    say(fmt::format(
        "a preview of {} under a throwaway key, confidential like the input; {}. Nothing was written or "
        "charged, and a run draws other words",
        counted(preview.documents.size(), "document"), what_is_promised(preview.receipt)));
  return {};
}

Result<void> run(PrivatizeArguments& a) {
  const bool seed_typed = !a.seed.empty();
  if (!a.config.empty()) SOTTO_TRY(apply_config_file(*a.command, a.config));
  SOTTO_ASSIGN(const PrivatizeOptions options, privatize_options(a));
  SOTTO_ASSIGN(FileOptions files, file_options(a));
  if (!a.preview.empty()) return show_preview(a, options, files);
  if (files.resume) can_be_resumed();
  SOTTO_ASSIGN(const Receipt receipt, with_progress("B", hides_bar(a, files), files,
                                                    [&] { return privatize_files(options, files); }));
  if (!a.quiet && receipt.delimiter_found && receipt.delimiter != ",")
    say(fmt::format("note: the columns are separated by {}; --delimiter sets it",
                    receipt.delimiter == "\t" ? "tabs" : fmt::format("'{}'", receipt.delimiter)));
  if (!a.quiet)
    for (const std::string& line : summary(receipt)) say(line);
  else if (receipt.seeded && !seed_typed)  // the user may not know that the configuration sets one
    say(fmt::format("{} sets a seed: the output is not private", a.config));
  // After the run: a failed run prints only one line, the reason.
  if (const std::uint64_t replaced = receipt.counts.statistics.invalid_utf8; replaced > 0)
    say(encoding_warning(replaced, find_ill_formed_input(files).value_or(IllFormedInput()).likely_encoding));
  if (const std::string warning = vocabulary_warning(receipt); !warning.empty()) say("warning: " + warning);
  if (const std::string warning = options.key_file ? key_file_warning(*options.key_file) : "";
      !warning.empty())
    say("warning: " + warning);
  return {};
}

}  // namespace

Action add_privatize(CLI::App& app) {
  auto arguments = std::make_shared<PrivatizeArguments>();
  CLI::App* command = app.add_subcommand("privatize", "Rewrite documents under differential privacy");
  arguments->command = command;
  arguments->choice.add_options(*command);
  add_budget_options(*command, *arguments);
  add_input_options(*command, *arguments);
  add_policy_options(*command, *arguments);
  add_run_options(*command, *arguments);
  command->footer(kPrivatizeFooter);
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli
