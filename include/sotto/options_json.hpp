// Options as JSON, for front ends without types of their own for them.
//
// Each reader takes one object, such as {"mechanism": "santext", "epsilon": 5, "parameters": {"selection":
// "exponential"}}, and its members are described in docs/schemas/. They are named like the parameters in
// errors; a list is named in the plural, and errors about one of its values in the singular. What is left out
// has its default. An unknown member or a value of the wrong type is an error that names the member; values
// are checked here or by the function that takes the options. No reader takes a secret key or a callback.
#pragma once

#include <string_view>

#include <sotto/api.hpp>
#include <sotto/attack.hpp>
#include <sotto/bench.hpp>
#include <sotto/black_box.hpp>
#include <sotto/budget_plan.hpp>
#include <sotto/choose.hpp>
#include <sotto/evaluate.hpp>
#include <sotto/exact_audit.hpp>
#include <sotto/explain.hpp>
#include <sotto/ledger.hpp>
#include <sotto/privatize.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/result.hpp>
#include <sotto/tune.hpp>

namespace sotto {

/// docs/schemas/privatize_options.schema.json. Thread-safe, as are all functions below.
SOTTO_API Result<PrivatizeOptions> privatize_options_from_json(std::string_view json);

/// Which files privatize_files() reads and writes: file_options.schema.json.
SOTTO_API Result<FileOptions> file_options_from_json(std::string_view json);

/// The ledger of a Privatizer: ledger_options.schema.json.
SOTTO_API Result<LedgerOptions> ledger_options_from_json(std::string_view json);

/// explain_options.schema.json
SOTTO_API Result<ExplainOptions> explain_options_from_json(std::string_view json);

/// For compare_words(): compare_options.schema.json.
SOTTO_API Result<CompareOptions> compare_options_from_json(std::string_view json);

/// A word of a text: text_place.schema.json.
SOTTO_API Result<TextPlace> text_place_from_json(std::string_view json);

/// budget_plan_options.schema.json
SOTTO_API Result<BudgetPlanOptions> budget_plan_options_from_json(std::string_view json);

/// exact_audit_options.schema.json
SOTTO_API Result<ExactAuditOptions> exact_audit_options_from_json(std::string_view json);

/// black_box_options.schema.json. A command is run by the shell: take none from whoever may not run one.
SOTTO_API Result<BlackBoxOptions> black_box_options_from_json(std::string_view json);

/// attack_options.schema.json
SOTTO_API Result<AttackOptions> attack_options_from_json(std::string_view json);

/// For guess_inputs(): input_guess_options.schema.json.
SOTTO_API Result<InputGuessOptions> input_guess_options_from_json(std::string_view json);

/// For infer_masked_words(): mask_inference_options.schema.json.
SOTTO_API Result<MaskInferenceOptions> mask_inference_options_from_json(std::string_view json);

/// choose_options.schema.json
SOTTO_API Result<ChooseOptions> choose_options_from_json(std::string_view json);

/// tune_options.schema.json
SOTTO_API Result<TuneOptions> tune_options_from_json(std::string_view json);

/// bench_options.schema.json
SOTTO_API Result<BenchOptions> bench_options_from_json(std::string_view json);

/// experiment_options.schema.json
SOTTO_API Result<ExperimentOptions> experiment_options_from_json(std::string_view json);

}  // namespace sotto
