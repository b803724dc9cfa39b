// The pipeline on a small model with phrases.
#pragma once

#include "support/phrase_model.hpp"
#include "support/pipeline_fixture.hpp"

namespace sotto::testing {

class PhrasePipelineTest : public PipelineTest {
 protected:
  PhrasePipelineTest() {
    write_phrase_model(path("phrases.safetensors"), phrase_model_parts(), few_phrases());
  }

  /// By default so little noise that every token stays.
  PrivatizeOptions phrase_options(Segmentation method, double epsilon = 1e6) const {
    PrivatizeOptions with = options(epsilon);
    with.mechanism.name = "cmp";
    with.mechanism.model = path("phrases.safetensors").string();
    with.collocations = method;
    return with;
  }

  PrivatizeOptions named(const std::string& budget, double document_epsilon) const {
    PrivatizeOptions with = phrase_options(Segmentation::none, 0);
    EXPECT_TRUE(apply_named_budget(budget, document_epsilon, with)) << budget;
    return with;
  }
};

}  // namespace sotto::testing
