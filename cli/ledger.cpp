// sotto ledger show|top|export|verify
#include <fmt/format.h>

#include "choices.hpp"
#include "command.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

/// Names come from the data, so control characters in them must not reach a terminal.
std::string printable(std::string text) {
  for (char& byte : text)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  return text;
}

std::string as_line(const LedgerAccount& account) {
  return fmt::format("{:>16}  {:>9} documents  {}\n", to_decimal(account.spent), account.documents,
                     printable(account.subject));
}

std::string as_line(const WithheldRecord& record) {
  return fmt::format("{}: {} {} of {}: {} spent, {} more wanted, limit {}\n", printable(record.dataset),
                     record.has_id ? "id" : "record", printable(record.record), printable(record.subject),
                     to_decimal(record.spent), to_decimal(record.wanted), to_decimal(record.limit));
}

/// Accounts sorted by unit, under one heading per unit.
std::string by_unit(const std::vector<LedgerAccount>& accounts) {
  std::string text;
  const std::string* unit = nullptr;
  for (const LedgerAccount& account : accounts) {
    if (unit == nullptr || *unit != account.unit) text += fmt::format("{}:\n", printable(account.unit));
    unit = &account.unit;
    text += as_line(account);
  }
  return text;
}

Result<void> show_summary(Ledger& ledger, bool json) {
  SOTTO_ASSIGN(const LedgerSummary summary, ledger.summary());
  if (json) return print(to_json(summary));
  std::string text = fmt::format("ledger {}, {} entries, {} records withheld\nhead   {}\n", summary.id,
                                 summary.entries, summary.withheld, summary.head);
  for (const LedgerUnit& unit : summary.units)
    text +=
        fmt::format("{}:\n  {} subjects, {} documents, largest account {}, mean {:.6g}\n",
                    printable(unit.name), unit.subjects, unit.documents, to_decimal(unit.largest), unit.mean);
  return print(text);
}

Result<void> show_subject(Ledger& ledger, const std::string& subject, bool json) {
  SOTTO_ASSIGN(const std::vector<LedgerAccount> accounts, ledger.accounts_of(subject));
  if (json) return print(to_json(accounts));
  return print(accounts.empty() ? fmt::format("{} has spent nothing\n", printable(subject))
                                : by_unit(accounts));
}

Result<void> show_withheld(Ledger& ledger, const std::string& subject, bool json) {
  std::vector<WithheldRecord> records;
  SOTTO_TRY(ledger.each_withheld([&](const WithheldRecord& record) -> Result<void> {
    if (subject.empty() || record.subject == subject) records.push_back(record);
    return {};
  }));
  if (json) return print(to_json(records));
  std::string text;
  for (const WithheldRecord& record : records) text += as_line(record);
  return print(records.empty() ? "no record is withheld\n" : text);
}

NamedAction add_show(CLI::App& group) {
  struct Arguments {
    std::string file, subject;
    bool withheld = false, json = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = group.add_subcommand("show", "What a subject has spent, or an overview");
  command->add_option("FILE", a->file, "The ledger")->required();
  command->add_option("SUBJECT", a->subject, "Only this subject's accounts");
  command->add_flag("--withheld", a->withheld, "List the records that were withheld because of a limit");
  command->add_flag("--json", a->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto ledger show spent.ledger\n  sotto ledger show spent.ledger alice\n"
      "  sotto ledger show spent.ledger --withheld --json");
  return {command, [a]() -> Result<void> {
            SOTTO_ASSIGN(const auto ledger, Ledger::open(a->file));
            if (a->withheld) return show_withheld(*ledger, a->subject, a->json);
            return a->subject.empty() ? show_summary(*ledger, a->json)
                                      : show_subject(*ledger, a->subject, a->json);
          }};
}

NamedAction add_top(CLI::App& group) {
  struct Arguments {
    std::string file, count = "10";
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = group.add_subcommand("top", "The subjects that spent the most, per unit");
  command->add_option("FILE", a->file, "The ledger")->required();
  command->add_option("N", a->count, "How many")->capture_default_str();
  command->add_flag("--json", a->json, "Print JSON");
  command->footer("Example:\n  sotto ledger top spent.ledger 20");
  return {command, [a]() -> Result<void> {
            SOTTO_ASSIGN(const std::uint64_t count, parse_integer("N", a->count, 1, 1'000'000));
            SOTTO_ASSIGN(const auto ledger, Ledger::open(a->file));
            SOTTO_ASSIGN(const std::vector<LedgerAccount> accounts, ledger->top(count));
            return print(a->json ? to_json(accounts) : by_unit(accounts));
          }};
}

NamedAction add_ledger_export(CLI::App& group) {
  struct Arguments {
    std::string file, what = "entries", format = "csv";
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = group.add_subcommand("export", "Print the whole ledger for other programs");
  command->add_option("FILE", a->file, "The ledger")->required();
  command->add_option("--what", a->what, "entries, accounts or withheld")->capture_default_str();
  command->add_option("--format", a->format, "csv or jsonl")->capture_default_str();
  command->footer(
      "Example:\n  sotto ledger export spent.ledger --what accounts --format jsonl > accounts.jsonl");
  return {command, [a]() -> Result<void> {
            SOTTO_ASSIGN(const std::size_t table, parse_choice("--what", a->what, kLedgerTableNames));
            SOTTO_ASSIGN(const std::size_t format, parse_choice("--format", a->format, kLedgerFormatNames));
            SOTTO_ASSIGN(const auto ledger, Ledger::open(a->file));
            constexpr LedgerTable kTables[] = {LedgerTable::entries, LedgerTable::accounts,
                                               LedgerTable::withheld};
            return export_ledger(*ledger, kTables[table], format == 0 ? RowFormat::csv : RowFormat::jsonl,
                                 print);
          }};
}

Result<void> verify(const std::string& file, const std::string& head, bool json) {
  SOTTO_ASSIGN(const auto ledger, Ledger::open(file));
  SOTTO_ASSIGN(const LedgerCheck check, with_clock(false, [&] { return ledger->verify(head); }));
  const bool sound = check.problem.empty();
  if (json) SOTTO_TRY(print(to_json(check)));
  if (!sound) return fail(Errc::bad_format, fmt::format("{}: {}", file, printable(check.problem)));
  if (json) return {};
  std::string text =
      fmt::format("{} entries, chain and accounts are sound\nhead {}\n", check.entries, check.head);
  if (check.pinned_at) text += fmt::format("the pinned head is that of entry {}\n", *check.pinned_at);
  return print(text);
}

NamedAction add_verify(CLI::App& group) {
  struct Arguments {
    std::string file, head;
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      group.add_subcommand("verify", "Recompute chain and accounts; exit code 1 if they do not match");
  command->add_option("FILE", a->file, "The ledger")->required();
  command->add_option("--head", a->head, "A head noted earlier, as in a receipt; it must be in the chain")
      ->type_name("HEX");
  command->add_flag("--json", a->json, "Print JSON");
  command->footer("Example:\n  sotto ledger verify spent.ledger --head $(jq -r .ledger.head receipt.json)");
  return {command, [a] { return verify(a->file, a->head, a->json); }};
}

}  // namespace

std::vector<NamedAction> add_ledger(CLI::App& app) {
  CLI::App* group = app.add_subcommand("ledger", "Show, export and check what subjects have spent");
  group->require_subcommand(1);
  group->footer("Example:\n  sotto ledger top spent.ledger\n\n'sotto ledger COMMAND --help' shows more.");
  return {add_show(*group), add_top(*group), add_ledger_export(*group), add_verify(*group)};
}

}  // namespace sotto::cli
