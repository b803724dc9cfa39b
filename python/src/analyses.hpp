// Functions of the library that take options as JSON and answer in JSON.
#pragma once

#include <nanobind/nanobind.h>

namespace sotto::python {

void define_analyses(nanobind::module_& module);

}  // namespace sotto::python
