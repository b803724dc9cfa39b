// Models and parameters with which every word-by-word mechanism can be made.
#pragma once

#include <memory>
#include <string>

#include "mechanisms/selection_fixture.hpp"
#include "support/list_set.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto::testing {

class EveryMechanismTest : public SelectionTest {
 protected:
  EveryMechanismTest() {
    write_tiny_wordnet(folder_.path(), {{'n', {"wa", "wb", "wc"}}, {'n', {"wd", "we"}}});
    lists_ = write_list_set(folder_.path() / "lists.safetensors", letter_words(61),
                            {{"a", stepping_order(61, 1)}, {"b", stepping_order(61, 7)}});
  }

  std::shared_ptr<const Model> model_for(const std::string& mechanism) const {
    return mechanism.starts_with("diffractor") ? lists_ : vectors_;
  }
  ParameterValues parameters_for(const std::string& mechanism) const {
    if (mechanism == "syntf") return {{"wordnet", folder_.path().string()}};
    return {};
  }

  std::shared_ptr<const Model> vectors_ = write(cluster_parts(61, 6, 5));
  std::shared_ptr<const Model> lists_;
};

}  // namespace sotto::testing
