// sotto audit
#include "audit.hpp"

#include "audit_black_box.hpp"

namespace sotto::cli {
namespace {

struct Arguments {
  AuditArguments shared;
  BlackBoxArguments black_box;
};

Result<void> run(const Arguments& a) {
  SOTTO_TRY(parse_choice("--method", a.shared.method, {"black-box"}));
  return audit_black_box(a.shared, a.black_box);
}

}  // namespace

Action add_audit(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("audit", "Try to refute what is claimed for a mechanism or a program");
  arguments->shared.choice.add_options(*command);
  command->add_option("--method", arguments->shared.method, "black-box: sample, and test what was sampled")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--threads", arguments->shared.threads, "Threads; 0: one for each processor")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--memory", arguments->shared.memory, "Memory for tables and caches")
      ->capture_default_str()
      ->type_name("SIZE");
  command->add_flag("--json", arguments->shared.json, "Print JSON");
  add_black_box_options(*command, arguments->black_box);
  command->footer(
      "Examples:\n  sotto audit --method black-box --mechanism santext --epsilon 2\n"
      "  sotto audit --method black-box --mechanism gumbel --epsilon 50 --metric euclidean\n"
      "  sotto audit --method black-box --command 'python3 my_mechanism.py' --epsilon 1 --metric pure");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli
