// Word vectors to models and back.
#pragma once

#include <nanobind/nanobind.h>

namespace sotto::python {

void define_vectors(nanobind::module_& module);

}  // namespace sotto::python
