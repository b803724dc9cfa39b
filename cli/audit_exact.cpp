#include "audit_exact.hpp"

#include <fmt/format.h>

#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

/// What is printed: a certificate, or the figures of a sample.
struct ExactAudit {
  Certificate certificate;
  std::optional<StoredCertificate> stored;  ///< none for a sample
  bool was_stored = false;                  ///< it was found, not computed
  double most = 0;                          ///< the requested certified ε; 0: none
};

std::string as_text(const ExactAudit& outcome) {
  const Certificate& c = outcome.certificate;
  const std::string unit = c.unit.is_pure() ? "pure epsilon" : "times " + readable_metric(c.unit.metric);
  std::string text =
      fmt::format("{} on {}, nominal epsilon {}", c.subject.mechanism, c.model, c.subject.epsilon);
  if (outcome.most > 0) text += fmt::format(", for a certified epsilon of at most {}", outcome.most);
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

Result<CertifyOptions> parsed(const AuditArguments& shared, const ExactArguments& own) {
  CertifyOptions options;
  SOTTO_TRY(find_word_mechanism(shared.choice.mechanism));
  SOTTO_ASSIGN(options.mechanism, shared.choice.parsed());
  if (!own.sample.empty()) {
    SOTTO_ASSIGN(options.sample, parse_integer("--sample", own.sample, 2, 1'000'000'000));
  }
  SOTTO_ASSIGN(options.mechanism.resources, shared.resources.parsed());
  return options;
}

Result<ExactAudit> compute(const CertifyOptions& options, PrivacyTarget target) {
  if (target == PrivacyTarget::certified) {
    SOTTO_ASSIGN(TargetedCertificate found, certificate_for_target(options));
    const Certificate certificate = found.stored.certificate;
    return ExactAudit{certificate, std::move(found.stored), found.was_stored, options.mechanism.epsilon};
  }
  SOTTO_ASSIGN(const Certificate certificate, certify(options));
  if (options.sample > 0) return ExactAudit{certificate, std::nullopt};
  SOTTO_ASSIGN(const auto model, find_model(options.mechanism));
  SOTTO_ASSIGN(StoredCertificate stored, store_certificate(certificate, model));
  return ExactAudit{certificate, std::move(stored)};
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
  SOTTO_ASSIGN(CertifyOptions options, parsed(shared, own));
  SOTTO_ASSIGN(const PrivacyTarget target, parse_target(own.target));
  SOTTO_ASSIGN(const ExactAudit outcome,
               with_progress("rows", shared.quiet, options, [&] { return compute(options, target); }));
  if (!shared.json) return print(as_text(outcome));
  return print(outcome.stored ? to_json(*outcome.stored, outcome.was_stored) : to_json(outcome.certificate));
}

}  // namespace sotto::cli
