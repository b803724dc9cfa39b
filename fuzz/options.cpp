// Options as JSON, from front ends that may pass on what a network sends. Every reader takes every input.
#include <sotto/options_json.hpp>
#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

template <class Reader>
void check(const Reader& read, std::string_view json) {
  const auto options = read(json);
  if (options) return;
  const std::string line = describe(options.error());
  require(!line.empty() && is_valid_utf8(line), "a refusal says why, in UTF-8");
}

}  // namespace

SOTTO_FUZZ_TARGET(options) {
  check(privatize_options_from_json, input);
  check(file_options_from_json, input);
  check(ledger_options_from_json, input);
  check(explain_options_from_json, input);
  check(compare_options_from_json, input);
  check(text_place_from_json, input);
  check(budget_plan_options_from_json, input);
  check(exact_audit_options_from_json, input);
  check(black_box_options_from_json, input);
  check(attack_options_from_json, input);
  check(input_guess_options_from_json, input);
  check(mask_inference_options_from_json, input);
  check(choose_options_from_json, input);
  check(tune_options_from_json, input);
  check(bench_options_from_json, input);
  check(experiment_options_from_json, input);
}
