#include <cstdlib>

#include <gtest/gtest.h>

#include "evaluate/classifiers/classifier.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;

// Without libtorch, a one-line error says so for every kind of network.
TEST(NetworkAbsence, SaysWhatIsMissing) {
  const TemporaryFolder empty;
  ::setenv("SOTTO_PLUGINS", empty.path().c_str(), 1);
  for (const char* const name : {"lstm", "bilstm", "transformer"})
    expect_error(make_classifier(name, {}), Errc::not_found, {name, "libsotto_lm_torch.so", "libtorch"});
  ::unsetenv("SOTTO_PLUGINS");
}

}  // namespace
}  // namespace sotto::testing
