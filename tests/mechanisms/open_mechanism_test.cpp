// Opening a mechanism by its spec.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>

#include "mechanisms/noise_fixture.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

class OpenMechanismTest : public NoiseTest {
 protected:
  MechanismSpec custext(double epsilon = 2) const {
    return {.name = "custext",
            .epsilon = epsilon,
            .parameters = {{"k", "03"}},
            .model = model_->path().string(),
            .resources = {.threads = 1}};
  }
};

TEST_F(OpenMechanismTest, GivesTheModelTheMechanismAndCompleteParameters) {
  const OpenMechanism open = open_mechanism(custext()).value();
  EXPECT_EQ(open.spec.name, "custext");
  EXPECT_EQ(open.spec.epsilon, 2);
  EXPECT_EQ(open.spec.parameters, (ParameterValues{{"k", "3"}})) << "in its canonical spelling";
  EXPECT_EQ(open.spec.resources.threads, 1U);
  EXPECT_EQ(open.model->path(), model_->path());
  EXPECT_EQ(open.model->digest(), model_->digest());
  const auto made = make("custext", 2, {{"k", "3"}});
  for (TokenId word = 0; word <= model_->size(); ++word)
    EXPECT_EQ(open.mechanism->row(word), made->row(word)) << word;
}

TEST_F(OpenMechanismTest, FillsInTheDefaults) {
  const auto file = folder_.path() / "sotto-en-lists.safetensors";
  write_list_set(file, letter_words(13), {{"a", stepping_order(13, 1)}, {"b", stepping_order(13, 5)}});
  ::setenv("SOTTO_MODELS", folder_.path().c_str(), 1);
  EXPECT_EQ(find_model(MechanismSpec{}).value(), file);
  const auto open = open_mechanism({.epsilon = 1});
  ::unsetenv("SOTTO_MODELS");
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(open->spec.name, "diffractor-geometric");
  EXPECT_EQ(open->model->name(), "sotto-en-lists");
  const MechanismInfo& info = *find_mechanism("diffractor-geometric").value();
  EXPECT_FALSE(info.parameters.empty());
  EXPECT_EQ(open->spec.parameters, complete_parameters(info, {}).value());
}

TEST_F(OpenMechanismTest, UsesAModelThatIsOpen) {
  MechanismSpec spec = custext();
  spec.model = "absent";
  const OpenMechanism open = open_mechanism(spec, model_).value();
  EXPECT_EQ(open.model, model_);
  EXPECT_EQ(open.spec.parameters, (ParameterValues{{"k", "3"}}));
  EXPECT_EQ(open.mechanism->row(1), open_mechanism(custext()).value().mechanism->row(1));
}

TEST_F(OpenMechanismTest, ErrorsNameTheParameter) {
  MechanismSpec spec = custext();
  spec.name = "laplace";
  expect_error(open_mechanism(spec), Errc::invalid_argument, "mechanism", {"'laplace'", "custext"});
  expect_error(find_model(spec), Errc::invalid_argument, "mechanism", {"'laplace'", "custext"});
  spec = custext();
  spec.model = (folder_.path() / "absent.safetensors").string();
  expect_error(open_mechanism(spec), Errc::not_found, {"absent.safetensors"});
  spec.model = "absent";
  expect_error(open_mechanism(spec), Errc::not_found, {"'absent'"});
  for (const double epsilon : {0.0, -1.0, 1e7, std::nan("")})
    expect_error(open_mechanism(custext(epsilon)), Errc::invalid_argument, "epsilon", {});
  spec = custext();
  spec.parameters["gamma"] = "1";
  expect_error(open_mechanism(spec), Errc::invalid_argument, "parameters", {"'gamma'", "k"});
  spec.parameters = {{"k", "1"}};
  expect_error(open_mechanism(spec), Errc::invalid_argument, "parameters.k", {"'1'"});
}

TEST_F(OpenMechanismTest, RefusesMechanismsForWholeTexts) {
  for (const char* const name : {"dp-mlm", "dp-mlm-plus", "dp-paraphrase", "dp-prompt"}) {
    const Error expected = find_word_mechanism(name).error();
    for (const std::string& model : {std::string(), model_->path().string()}) {
      const auto open = open_mechanism({.name = name, .epsilon = 1, .model = model});
      expect_error(open, Errc::invalid_argument, "mechanism", {name, "whole texts"});
      EXPECT_EQ(open.error().message, expected.message);
    }
    expect_error(open_mechanism({.name = name, .epsilon = 1}, model_), Errc::invalid_argument, "mechanism",
                 {name, "whole texts"});
  }
}

}  // namespace
}  // namespace sotto::testing
