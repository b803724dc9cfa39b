#include "errors.hpp"

#include <string>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <sotto/error_text.hpp>

namespace nb = nanobind;

namespace sotto::python {
namespace {

PyObject* limit_exceeded = nullptr;

constexpr std::string_view kOfMechanism = "parameters.";

/// Parameters that name a part of the data: what is not found there is no file.
bool names_data(std::string_view parameter) {
  return parameter == "fields" || parameter == "field" || parameter == "id_field" || parameter == "word";
}

PyObject* exception_type(const Error& error) {
  switch (error.code) {
    case Errc::not_found:
      return names_data(error.parameter) ? PyExc_ValueError : PyExc_FileNotFoundError;
    case Errc::io:
    case Errc::closed_pipe:
      return PyExc_OSError;
    case Errc::limit:
      return limit_exceeded;
    case Errc::interrupted:
      return PyExc_KeyboardInterrupt;
    case Errc::invalid_argument:
    case Errc::bad_format:
      break;
  }
  return PyExc_ValueError;
}

/// sotto.audit(mechanism='santext', epsilon=1.0)
std::string call(const Hint& hint) {
  std::string function = hint.command;
  for (char& letter : function)
    if (letter == ' ') letter = '_';
  std::string arguments;
  for (const Argument& argument : hint.arguments)
    arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", keyword(argument.parameter),
                             argument.value.empty() ? "..." : fmt::format("'{}'", argument.value));
  return fmt::format("sotto.{}({})", function, arguments);
}

}  // namespace

std::string keyword(std::string_view parameter) {
  if (parameter == "key_file") return "key";
  if (parameter == "subject_field") return "subject";
  if (parameter == "parameters") return "set";
  if (parameter.starts_with(kOfMechanism))
    return fmt::format("set['{}']", parameter.substr(kOfMechanism.size()));
  return std::string(parameter);
}

void raise(const Error& error) {
  const std::string text = describe(error, {keyword, call});
  PyErr_SetObject(exception_type(error), nb::str(text.c_str(), text.size()).ptr());
  throw nb::python_error();
}

void raise_value_error(std::string_view text) {
  throw nb::value_error(std::string(text).c_str());
}

void raise_type_error(std::string_view text) {
  throw nb::type_error(std::string(text).c_str());
}

void define_exceptions(void* module) {
  limit_exceeded = PyErr_NewExceptionWithDoc(
      "sotto.LimitExceeded",
      "A stated limit was exceeded: a subject's limit in a ledger, or that of a document's size.",
      PyExc_ValueError, nullptr);
  if (limit_exceeded == nullptr ||
      PyModule_AddObjectRef(static_cast<PyObject*>(module), "LimitExceeded", limit_exceeded) != 0)
    throw nb::python_error();
}

}  // namespace sotto::python
