// sotto._core: the library's public interface, as thin as it can be. The package in python/sotto has the
// signatures, the documentation and the types of results.
#include <nanobind/nanobind.h>

#include <sotto/version.hpp>

#include "analyses.hpp"
#include "errors.hpp"
#include "privatizer.hpp"
#include "process.hpp"
#include "settlement.hpp"
#include "vectors.hpp"

NB_MODULE(_core, module) {
  module.attr("__version__") = sotto::library_version();
  sotto::python::watch_process(module);
  sotto::python::define_exceptions(module.ptr());
  sotto::python::define_privatizer(module);
  sotto::python::define_settlement(module);
  sotto::python::define_analyses(module);
  sotto::python::define_vectors(module);
}
