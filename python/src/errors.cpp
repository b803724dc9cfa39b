#include "errors.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

/// What the package calls a command; empty if only the program has it.
std::string_view function_of(std::string_view command) {
  if (command == "audit") return "sotto.audit";
  if (command == "privatize") return "sotto.Privatizer";
  if (command == "model import") return "sotto.import_vectors";
  return {};
}

std::string literal(const std::string& value) {
  if (value.empty()) return "...";
  char* end = nullptr;
  std::strtod(value.c_str(), &end);
  return *end == '\0' ? value : fmt::format("'{}'", value);
}

/// sotto.audit(mechanism='santext', epsilon=1, set={'selection': 'exponential'})
std::string python_call(std::string_view function, const std::vector<Argument>& given) {
  std::vector<std::string> arguments;
  std::vector<std::string> settings;
  for (const auto& [parameter, value] : given)
    if (parameter.starts_with(kOfMechanism))
      settings.push_back(fmt::format("'{}': {}", parameter.substr(kOfMechanism.size()), literal(value)));
    else
      arguments.push_back(fmt::format("{}={}", keyword(parameter), literal(value)));
  if (!settings.empty()) arguments.push_back(fmt::format("set={{{}}}", fmt::join(settings, ", ")));
  return fmt::format("{}({})", function, fmt::join(arguments, ", "));
}

/// What would help: a call, or a command of the program if the package has no such function.
std::string remedy(const Hint& hint) {
  if (const std::string_view function = function_of(hint.command); !function.empty())
    return python_call(function, hint.arguments);
  std::string line = "sotto " + hint.command;
  for (const auto& [parameter, value] : hint.arguments) {
    std::string option = parameter;
    std::replace(option.begin(), option.end(), '_', '-');
    line += fmt::format(" --{} {}", option, value.empty() ? "..." : value);
  }
  return line;
}

/// Both ends of a sentence that quotes a very long value.
std::string shortened(const std::string& text) {
  constexpr std::size_t kEnd = 1000;
  if (text.size() <= 2 * kEnd) return text;
  const auto at_character = [&](std::size_t place) {
    while ((static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80) --place;
    return place;
  };
  return text.substr(0, at_character(kEnd)) + " … " + text.substr(at_character(text.size() - kEnd));
}

/// Sentences may quote bytes that are not UTF-8, such as names of files.
[[noreturn]] void raise_as(PyObject* type, std::string_view text) {
  const auto shown =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (shown.is_valid()) PyErr_SetObject(type, shown.ptr());
  throw nb::python_error();
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
  const std::string text = shortened(describe(error, {keyword, remedy}));
  raise_as(exception_type(error), text);
}

void raise_value_error(std::string_view text) {
  raise_as(PyExc_ValueError, text);
}

void raise_type_error(std::string_view text) {
  raise_as(PyExc_TypeError, text);
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
