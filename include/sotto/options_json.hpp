// Options as JSON, for front ends without types of their own for them.
#pragma once

#include <string_view>

#include <sotto/api.hpp>
#include <sotto/explain.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Reads an object such as {"mechanism": "santext", "epsilon": 5, "parameters": {"selection":
/// "exponential"}}. Members are named like the parameters in errors
/// (docs/schemas/privatize_options.schema.json). An unknown member or a value of the wrong type is an error.
/// Thread-safe.
SOTTO_API Result<PrivatizeOptions> privatize_options_from_json(std::string_view json);

/// Same for explain() (docs/schemas/explain_options.schema.json). Thread-safe.
SOTTO_API Result<ExplainOptions> explain_options_from_json(std::string_view json);

}  // namespace sotto
