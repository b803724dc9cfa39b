#include "audit_black_box.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choices.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kShownPairs = 10;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "infinite";
}

std::string claim_text(const BlackBoxReport& r) {
  const std::string claim = r.metric == "pure" ? fmt::format("pure ε = {:g}", r.epsilon)
                                               : fmt::format("{:g}·d, d: {}", r.epsilon, r.metric);
  return claim + (r.own_claim ? "" : " (given with --metric, not promised by the mechanism)");
}

std::string verdict(const BlackBoxReport& r) {
  if (!r.refuted()) return "failed to falsify";
  std::vector<std::string> what;
  if (r.losses_refute()) what.emplace_back("a loss above the claim");
  if (r.independence_refutes()) what.emplace_back("draws that are not independent");
  return fmt::format("refuted: {}", fmt::join(what, ", "));
}

std::string event_text(const PairFinding& pair) {
  const std::string more = pair.event_size > pair.event.size()
                               ? fmt::format(" and {} more", pair.event_size - pair.event.size())
                               : "";
  return fmt::format("{{{}{}}}", fmt::join(pair.event, ", "), more);
}

/// For example "3 nearest"; each pair was tested in both directions.
std::vector<std::string> pair_counts(const BlackBoxReport& r) {
  std::map<std::string, std::size_t> counts;
  for (const PairFinding& pair : r.pairs) ++counts[pair.chosen_as];
  std::vector<std::string> texts;
  for (const auto& [chosen_as, tests] : counts) texts.push_back(fmt::format("{} {}", tests / 2, chosen_as));
  return texts;
}

std::string as_text(const BlackBoxReport& r) {
  std::string text =
      fmt::format("{} on {}\n  claim: {}\n  verdict: {}\n", r.audited, r.model, claim_text(r), verdict(r));
  text += fmt::format("  lower bound on ε: {} at confidence {:g} over everything tested\n",
                      number(r.epsilon_lower), r.confidence);
  if (r.independence_refutes())
    text += "  the bounds on losses assume independent draws, which these are not\n";
  text += fmt::format(
      "  reach: {} draws per word can refute a claimed loss below {:.3f}; {} of {} tests claim more\n",
      r.draws, r.largest_refutable, r.pairs_out_of_reach, r.tests);
  for (const IndependenceFinding& finding : r.independence)
    text += fmt::format("  {}: {} {}\n", finding.name,
                        !finding.made     ? "not tested:"
                        : finding.refutes ? "refuted."
                                          : "nothing found.",
                        finding.detail);
  text += fmt::format("  {} draws in total, {:.1f} s\n", r.draws_in_all, r.seconds);
  text += fmt::format("  pairs by choice: {}\n\n", fmt::join(pair_counts(r), ", "));
  text += fmt::format("  {:>9} {:>9}  {:<9} {}\n", "loss ≥", "claimed", "chosen as", "pair and event");
  for (std::size_t i = 0; i < std::min(kShownPairs, r.pairs.size()); ++i) {
    const PairFinding& pair = r.pairs[i];
    text += fmt::format("  {:>9.4f} {:>9.4f}  {:<9} '{}' against '{}' on {}: {} and {} of {} draws{}\n",
                        pair.loss_lower, pair.allowed, pair.chosen_as, pair.first, pair.second,
                        event_text(pair), pair.first_count, pair.second_count, pair.draws,
                        pair.refutes()  ? "; refutes the claim"
                        : !pair.claimed ? fmt::format("; nothing is promised: the texts differ in {}",
                                                      fmt::join(pair.differ_in, ", "))
                                        : "");
  }
  return text;
}

Result<Policy> parse_audited_policy(const BlackBoxArguments& own) {
  SOTTO_ASSIGN(Policy policy, parse_policy(own.policy));
  if (!own.oov.empty()) SOTTO_TRY(set_policy_part(policy, "oov", own.oov));
  return policy;
}

Result<AuditPath> parse_path(const AuditArguments& shared, const BlackBoxArguments& own) {
  SOTTO_ASSIGN(const std::size_t through, parse_choice("--through", own.through, kAuditPathNames));
  if (own.command.empty()) return through == 0 ? AuditPath::mechanism : AuditPath::document;
  if (through == 1 || !shared.choice.settings.empty())
    return fail(
        Errc::invalid_argument,
        "--command: cannot be given together with --through document or --set; it replaces the mechanism");
  return AuditPath::command;
}

}  // namespace

void add_black_box_options(CLI::App& command, BlackBoxArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
    command.add_option(name, value, help)->capture_default_str()->type_name(type)->group(kBlackBoxGroup);
  };
  add("--through", arguments.through, "mechanism: token ids; document: texts through the whole path", "PATH");
  add("--policy", arguments.policy, "With --through document: strict or paper", "NAME");
  add("--oov", arguments.oov,
      "With --through document: nearest, bottom, keep or drop (default: the policy's)", "WHAT");
  add("--command", arguments.command, "Audit a program that reads words, one per line, and writes as many",
      "CMD");
  add("--timeout", arguments.timeout, "Time limit for one run of the command, in seconds", "S");
  add("--metric", arguments.metric,
      "The d of the claim ε·d: euclidean, index or pure (default: the mechanism's own)", "NAME");
  add("--draws", arguments.draws, "Draws per word: one half selects the event, the other tests it", "N");
  add("--pairs", arguments.pairs, "Pairs of words, each tested in both directions", "N");
  add("--runs", arguments.runs, "Runs for repeats and correlations; 0: 1000, or 50 for a command", "N");
  add("--confidence", arguments.confidence,
      "Confidence that no true claim is refuted, over all tests together", "C");
  add("--seed", arguments.seed, "Make the choice of words and the draws reproducible", "N");
  command
      .add_option("--pair", arguments.texts, "Compare two texts through documents, instead of generated ones")
      ->type_size(2)
      ->allow_extra_args(false)
      ->type_name("TEXT TEXT")
      ->group(kBlackBoxGroup);
  command
      .add_flag("--vocabulary-only", arguments.vocabulary_only,
                "Skip inputs outside the vocabulary if the claim does not cover them")
      ->group(kBlackBoxGroup);
}

Result<void> audit_black_box(const AuditArguments& shared, const BlackBoxArguments& own) {
  BlackBoxOptions options;
  SOTTO_ASSIGN(options.path, parse_path(shared, own));
  SOTTO_ASSIGN(options.mechanism, shared.choice.parsed());
  SOTTO_ASSIGN(options.policy, parse_audited_policy(own));
  options.command = own.command;
  SOTTO_ASSIGN(options.timeout, parse_number("--timeout", own.timeout, 0.1, 86400));
  if (!own.metric.empty()) {
    SOTTO_TRY(parse_choice("--metric", own.metric, kClaimMetricNames));
    options.metric = own.metric;
  }
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", own.draws, 20, 1'000'000'000));
  SOTTO_ASSIGN(options.pairs, parse_integer("--pairs", own.pairs, 1, 10'000));
  SOTTO_ASSIGN(options.runs, parse_integer("--runs", own.runs, 0, 1'000'000));
  SOTTO_ASSIGN(options.confidence, parse_number("--confidence", own.confidence, 0.5, 0.999999999999));
  SOTTO_ASSIGN(options.seed, parse_seed(own.seed));
  options.vocabulary_only = own.vocabulary_only;
  options.texts = own.texts;
  SOTTO_ASSIGN(options.mechanism.resources, shared.resources.parsed());
  SOTTO_ASSIGN(const BlackBoxReport report, with_progress("draws", shared.quiet, options,
                                                          [&] { return sotto::audit_black_box(options); }));
  SOTTO_TRY(print(shared.json ? to_json(report) : as_text(report)));
  if (!report.refuted()) return {};
  // Not a wrong command line, so that scripts can tell a refuted claim (1) from a mistake of their own (2).
  return fail(Errc::limit, fmt::format("the claim is {}", verdict(report)));
}

}  // namespace sotto::cli
