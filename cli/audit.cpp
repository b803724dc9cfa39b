// sotto audit
#include "audit.hpp"

#include <fmt/format.h>

#include "audit_black_box.hpp"
#include "audit_exact.hpp"
#include "choices.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kAuditFooter =
    R"(exact computes the largest privacy loss over all pairs of words and all outputs, from the integers that are sampled,
and rounds it up. The certificate is stored next to the model; from then on receipts of 'sotto privatize' with the same
mechanism, parameters, epsilon and model say "certified" and quote it. With --target certified, --epsilon is an upper
bound for the certificate: the nominal epsilon that meets it is searched for and stored, and 'sotto privatize --target
certified' finds it.

black-box draws from any mechanism or program and tries to refute what is claimed for it. It exits with 1 if it
succeeds.

Examples:
  sotto audit --mechanism santext --epsilon 1
  sotto audit --mechanism tem --epsilon 5 --set selection=permute-and-flip --json
  sotto audit --mechanism santext --epsilon 1 --target certified
  sotto audit --method black-box --mechanism santext --epsilon 2
  sotto audit --method black-box --mechanism gumbel --epsilon 50 --metric euclidean
  sotto audit --method black-box --command 'python3 my_mechanism.py' --epsilon 1 --metric pure)";

struct AuditCommandArguments {
  AuditArguments shared;
  ExactArguments exact;
  BlackBoxArguments black_box;
};

/// Without this check, an option of the other method would be silently ignored.
Result<void> check_options(const CLI::App& command, const char* other_group, const std::string& method) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == other_group && option->count() > 0)
      return fail(Errc::invalid_argument,
                  fmt::format("{}: not valid with --method {}; give --method {}", option->get_name(), method,
                              method == "exact" ? "black-box" : "exact"));
  return {};
}

Result<void> run(const CLI::App& command, const AuditCommandArguments& a) {
  SOTTO_ASSIGN(const std::size_t method, parse_choice("--method", a.shared.method, kAuditMethodNames));
  SOTTO_TRY(check_options(command, method == 0 ? kBlackBoxGroup : kExactGroup, a.shared.method));
  return method == 0 ? audit_exact(a.shared, a.exact) : audit_black_box(a.shared, a.black_box);
}

}  // namespace

Action add_audit(CLI::App& app) {
  auto arguments = std::make_shared<AuditCommandArguments>();
  CLI::App* command = app.add_subcommand("audit", "Compute what a mechanism guarantees, or try to refute it");
  AuditArguments& shared = arguments->shared;
  shared.choice.add_options(*command);
  command->add_option("--method", shared.method, "exact or black-box")
      ->capture_default_str()
      ->type_name("NAME");
  shared.resources.add_options(*command);
  command->add_flag("--json", shared.json, "Print JSON");
  command->add_flag("--quiet", shared.quiet, "No progress bar");
  add_exact_options(*command, arguments->exact);
  add_black_box_options(*command, arguments->black_box);
  command->footer(kAuditFooter);
  return [command, arguments] { return run(*command, *arguments); };
}

}  // namespace sotto::cli
