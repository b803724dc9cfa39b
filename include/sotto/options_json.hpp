// Options as JSON, for front ends that have no types of their own for them.
#pragma once

#include <string_view>

#include <sotto/explain.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Reads an object such as {"mechanism": "santext", "epsilon": 5, "parameters": {"selection":
/// "exponential"}}. Members are called as errors call parameters
/// (docs/schemas/privatize_options.schema.json); an unknown one is an error, as is a value of another type.
/// Thread-safe.
Result<PrivatizeOptions> privatize_options_from_json(std::string_view json);

/// The same for explain() (docs/schemas/explain_options.schema.json). Thread-safe.
Result<ExplainOptions> explain_options_from_json(std::string_view json);

}  // namespace sotto
