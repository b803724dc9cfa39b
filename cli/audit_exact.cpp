#include "audit_exact.hpp"

#include <fmt/format.h>

#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

/// `most` is the requested certified ε; 0: none.
std::string as_text(const ExactAudit& outcome, double most) {
  const Certificate& c = outcome.certificate;
  const std::string unit = c.unit.is_pure() ? "pure epsilon" : "times " + readable_metric(c.unit.metric);
  std::string text =
      fmt::format("{} on {}, nominal epsilon {}", c.subject.mechanism, c.model, c.subject.epsilon);
  if (most > 0) text += fmt::format(", for a certified epsilon of at most {}", most);
  text += c.sample == 0 ? fmt::format("\n  certified epsilon: {} ({})\n", c.epsilon, unit)
                        : fmt::format(
                              "\n  A SAMPLE OF {} INPUTS, NOT A CERTIFICATE: other pairs may lose more\n"
                              "  largest loss in the sample: {} ({})\n",
                              c.sample, c.epsilon, unit);
  text += fmt::format("  scope: {}\n", to_string(c.scope));
  if (!c.worst.input.empty())
    text += fmt::format(
        "  attained: {}, by '{}' against '{}' with output '{}' (distance {:.6g}, loss {:.6g})\n"
        "  slack, certified minus attained: {:.3g}\n",
        c.attained, c.worst.input, c.worst.other, c.worst.output, c.worst.distance, c.worst.loss,
        c.epsilon - c.attained);
  text += fmt::format("  {} inputs, {} of them at distance 0 from another, {} outputs\n", c.inputs,
                      c.equal_inputs, c.outputs);
  text += fmt::format("  {} pairs, {} of them evaluated exactly over all outputs\n", c.pairs, c.exact_pairs);
  text += fmt::format("  method: {}\n  time: {:.1f} s{}\n", c.method, c.seconds,
                      outcome.was_stored ? " when computed; loaded from the store" : "");
  if (outcome.stored)
    text +=
        fmt::format("  stored: {}\n  SHA-256: {}\n", outcome.stored->file.string(), outcome.stored->sha256);
  return text;
}

Result<ExactAuditOptions> parsed(const AuditArguments& shared, const ExactArguments& own) {
  ExactAuditOptions options;
  SOTTO_TRY(find_word_mechanism(shared.choice.mechanism));
  SOTTO_ASSIGN(options.certify.mechanism, shared.choice.parsed());
  if (!own.sample.empty()) {
    SOTTO_ASSIGN(options.certify.sample, parse_integer("--sample", own.sample, 2, kLargestSample));
  }
  SOTTO_ASSIGN(options.certify.mechanism.resources, shared.resources.parsed());
  SOTTO_ASSIGN(options.target, parse_target(own.target));
  return options;
}

}  // namespace

void add_exact_options(CLI::App& command, ExactArguments& arguments) {
  command
      .add_option("--target", arguments.target,
                  "nominal: --epsilon is what the mechanism is built with; certified: an upper bound for "
                  "the certificate")
      ->capture_default_str()
      ->type_name("WHAT")
      ->group(kExactGroup);
  command.add_option("--sample", arguments.sample, "Examine only N inputs; fast, but not a certificate")
      ->type_name("N")
      ->group(kExactGroup);
}

Result<void> audit_exact(const AuditArguments& shared, const ExactArguments& own) {
  SOTTO_ASSIGN(ExactAuditOptions options, parsed(shared, own));
  SOTTO_ASSIGN(const ExactAudit outcome, with_progress("rows", shared.quiet, options.certify,
                                                       [&] { return sotto::audit_exact(options); }));
  const bool targeted = options.target == PrivacyTarget::certified;
  return print(shared.json ? to_json(outcome)
                           : as_text(outcome, targeted ? options.certify.mechanism.epsilon : 0));
}

}  // namespace sotto::cli
