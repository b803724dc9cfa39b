// sotto audit
#include "audit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kFooter =
    R"(The exact method computes, from the integers that are sampled and rounded against you, the largest privacy loss over
all pairs of words and all outputs. The certificate is stored beside the model; from then on receipts of 'sotto privatize'
with the same mechanism, parameters, epsilon and model say "certified" and quote it.

With --target certified, --epsilon is what the certificate may be at most: the nominal epsilon that meets it is searched for
and stored, and 'sotto privatize --target certified' finds it.

Examples:
  sotto audit --mechanism santext --epsilon 1
  sotto audit --mechanism tem --epsilon 5 --set selection=permute-and-flip --json
  sotto audit --mechanism santext --epsilon 1 --target certified
  sotto audit --mechanism santext --epsilon 1 --sample 2000)";

/// As typed.
struct Typed {
  MechanismChoice choice;
  std::string method = "exact", target = "nominal", sample, threads, memory;
  bool json = false;
  bool quiet = false;
};

Result<AuditArguments> parsed(const Typed& typed) {
  AuditArguments a;
  a.mechanism = typed.choice.mechanism;
  SOTTO_TRY(find_mechanism(a.mechanism));
  SOTTO_TRY(parse_choice("--method", typed.method, {"exact"}));
  a.method = typed.method;
  SOTTO_ASSIGN(a.epsilon, typed.choice.parsed_epsilon());
  SOTTO_ASSIGN(a.parameters, typed.choice.parsed_settings());
  a.model = typed.choice.model;
  SOTTO_ASSIGN(a.target, parse_target(typed.target));
  if (!typed.sample.empty()) {
    SOTTO_ASSIGN(a.sample, parse_integer("--sample", typed.sample, 2, 1'000'000'000));
  }
  if (!typed.threads.empty()) {
    SOTTO_ASSIGN(const std::uint64_t threads, parse_integer("--threads", typed.threads, 1, 1024));
    a.resources.threads = static_cast<unsigned>(threads);
  }
  if (!typed.memory.empty()) {
    SOTTO_ASSIGN(a.resources.memory, parse_size("--memory", typed.memory));
  }
  a.json = typed.json;
  a.quiet = typed.quiet;
  return a;
}

/// What is printed: a certificate, or the figures of a sample.
struct Outcome {
  Certificate certificate;
  std::optional<StoredCertificate> stored;  ///< none for a sample
  bool was_stored = false;                  ///< it was found and not computed
};

std::string as_text(const AuditArguments& a, const Outcome& outcome) {
  const Certificate& c = outcome.certificate;
  const std::string unit = c.unit.is_pure() ? "pure epsilon" : "times " + c.unit.metric;
  std::string text =
      fmt::format("{} on {}, nominal epsilon {}", c.subject.mechanism, c.model, c.subject.epsilon);
  if (a.target == PrivacyTarget::certified)
    text += fmt::format(", for a certified epsilon of at most {}", a.epsilon);
  text += c.sample == 0 ? fmt::format("\n  certified epsilon: {} ({})\n", c.epsilon, unit)
                        : fmt::format(
                              "\n  A SAMPLE OF {} INPUTS, NO CERTIFICATE: other pairs may lose more\n"
                              "  largest loss in the sample: {} ({})\n",
                              c.sample, c.epsilon, unit);
  text += fmt::format("  scope: {}\n", to_string(c.scope));
  if (!c.worst.input.empty())
    text += fmt::format(
        "  attained: {}, by '{}' against '{}' with output '{}' (distance {:.6g}, loss {:.6g})\n"
        "  slack, certified less attained: {:.3g}\n",
        c.attained, c.worst.input, c.worst.other, c.worst.output, c.worst.distance, c.worst.loss,
        c.epsilon - c.attained);
  text += fmt::format("  {} inputs, {} of them at distance 0 from another, {} outputs\n", c.inputs,
                      c.equal_inputs, c.outputs);
  text += fmt::format("  {} pairs, {} of them evaluated exactly over all outputs\n", c.pairs, c.exact_pairs);
  text += fmt::format("  method: {}\n  time: {:.1f} s{}\n", c.method, c.seconds,
                      outcome.was_stored ? " when it was computed; found in store now" : "");
  if (outcome.stored)
    text +=
        fmt::format("  stored: {}\n  SHA-256: {}\n", outcome.stored->file.string(), outcome.stored->sha256);
  return text;
}

std::string as_json(const Outcome& outcome) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(to_json(outcome.certificate));
  if (outcome.stored)
    json["stored"] = {{"file", outcome.stored->file.string()},
                      {"sha256", outcome.stored->sha256},
                      {"was_stored", outcome.was_stored}};
  return to_text(json);
}

Result<Outcome> compute(const AuditArguments& a) {
  CertifyOptions options;
  options.mechanism = a.mechanism;
  options.epsilon = a.epsilon;
  options.parameters = a.parameters;
  options.model = a.model;
  options.sample = a.sample;
  options.resources = a.resources;
  ProgressBar bar("rows", a.quiet);
  options.progress = bar.callback();
  if (a.target == PrivacyTarget::certified) {
    SOTTO_ASSIGN(TargetedCertificate found, certificate_for_target(options));
    const Certificate certificate = found.stored.certificate;
    return Outcome{certificate, std::move(found.stored), found.was_stored};
  }
  SOTTO_ASSIGN(const Certificate certificate, certify(options));
  if (a.sample > 0) return Outcome{certificate, std::nullopt, false};
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(a.mechanism));
  SOTTO_ASSIGN(const auto model, find_model(a.model.empty() ? info->default_model : a.model));
  SOTTO_ASSIGN(StoredCertificate stored, store_certificate(certificate, model));
  return Outcome{certificate, std::move(stored), false};
}

Result<void> audit_exact(const AuditArguments& a) {
  SOTTO_ASSIGN(const Outcome outcome, compute(a));
  return print(a.json ? as_json(outcome) : as_text(a, outcome));
}

Result<void> run(const Typed& typed) {
  SOTTO_ASSIGN(const AuditArguments arguments, parsed(typed));
  return audit_exact(arguments);
}

}  // namespace

Action add_audit(CLI::App& app) {
  auto typed = std::make_shared<Typed>();
  CLI::App* command = app.add_subcommand("audit", "Compute what a mechanism really guarantees");
  typed->choice.add_options(*command);
  command->add_option("--method", typed->method, "exact")->capture_default_str()->type_name("METHOD");
  command
      ->add_option(
          "--target", typed->target,
          "nominal: --epsilon is what the mechanism is built with; certified: what the certificate may be "
          "at most")
      ->capture_default_str()
      ->type_name("WHAT");
  command->add_option("--sample", typed->sample, "Look at so many inputs only; quick, and no certificate")
      ->type_name("N");
  command->add_option("--threads", typed->threads, "Threads (default: one for each processor)")
      ->type_name("N");
  command->add_option("--memory", typed->memory, "For tables and caches (default: 512M)")->type_name("SIZE");
  command->add_flag("--json", typed->json, "Print JSON");
  command->add_flag("--quiet", typed->quiet, "No progress bar");
  command->footer(kFooter);
  return [typed] { return run(*typed); };
}

}  // namespace sotto::cli
