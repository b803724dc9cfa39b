// sotto receipt
#include <unistd.h>

#include <sotto/receipt_description.hpp>
#include <sotto/receipt_merge.hpp>

#include "command.hpp"
#include "receipt_page.hpp"
#include "terminal.hpp"

namespace sotto::cli {
namespace {

struct ReceiptArguments {
  std::string file;
  std::string output;
  bool html = false;
  bool markdown = false;
  bool json = false;
};

std::string page(const ReceiptArguments& a, const ReceiptDescription& description) {
  if (a.json) return to_json(description);
  if (a.html) return receipt_html(description);
  if (a.markdown) return receipt_markdown(description);
  return receipt_text(description, terminal_width(STDOUT_FILENO));
}

Result<void> run(const ReceiptArguments& a) {
  if (a.html + a.markdown + a.json > 1)
    return fail(Errc::invalid_argument, "--html, --markdown and --json: give only one of them");
  SOTTO_ASSIGN(const ReceiptDescription description, describe_receipt_file(a.file));
  const std::string text = page(a, description);
  return a.output.empty() ? print(text) : write_receipt_page(text, a.file, a.output);
}

NamedAction add_receipt_show(CLI::App& group) {
  auto arguments = std::make_shared<ReceiptArguments>();
  CLI::App* command = group.add_subcommand("show", "Explain a receipt on one page");
  command->add_option("FILE", arguments->file, "The receipt, as privatize --report writes it")->required();
  command->add_flag("--html", arguments->html, "Print a web page");
  command->add_flag("--markdown", arguments->markdown, "Print Markdown");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("-o,--output", arguments->output, "Write it to a file (default: standard output)")
      ->type_name("FILE");
  command->footer(
      "The page says what was done, what is promised, what is not hidden, what was spent and how it was "
      "checked. A\n"
      "receipt that contradicts itself is refused.\n\n"
      "Examples:\n  sotto receipt show receipt.json\n  sotto receipt show receipt.json --html -o "
      "receipt.html");
  return {command, [arguments] { return run(*arguments); }};
}

struct MergeArguments {
  std::vector<std::filesystem::path> files;
  std::string output;
};

Result<void> merge(const MergeArguments& a) {
  SOTTO_ASSIGN(const std::string merged, merge_receipt_files(a.files));
  return a.output.empty() ? print(merged) : write_merged_receipt(merged, a.files, a.output);
}

NamedAction add_receipt_merge(CLI::App& group) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = group.add_subcommand("merge", "Add up the receipts of shards or partitions");
  command->add_option("FILE", arguments->files, "The receipts, as privatize --report writes them")
      ->required();
  command->add_option("-o,--output", arguments->output, "Write it to a file (default: standard output)")
      ->type_name("FILE");
  command->footer(
      "The result is the receipt of the whole. Receipts of different configurations, data sets or programs\n"
      "are refused.\n\n"
      "Example:\n  sotto receipt merge shard1.json shard2.json -o receipt.json");
  return {command, [arguments] { return merge(*arguments); }};
}

}  // namespace

std::vector<NamedAction> add_receipt(CLI::App& app) {
  CLI::App* group = app.add_subcommand("receipt", "Explain receipts to people, or add them up");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n  sotto receipt show receipt.json\n"
      "  sotto receipt merge shard1.json shard2.json -o receipt.json\n\n"
      "'sotto receipt COMMAND --help' shows more.");
  return {add_receipt_show(*group), add_receipt_merge(*group)};
}

}  // namespace sotto::cli
