// The nominal ε whose certificate meets a requested one.
#include <fstream>

#include <gtest/gtest.h>

#include <sotto/certificate.hpp>
#include <sotto/privatize.hpp>

#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class CertificateTarget : public ::testing::Test {
 protected:
  CertificateTarget() {
    std::ofstream(folder_.path() / "key", std::ios::binary) << std::string(32, 'k');
    ::setenv("XDG_DATA_HOME", (folder_.path() / "data").c_str(), 1);
  }
  ~CertificateTarget() override { ::unsetenv("XDG_DATA_HOME"); }

  CertifyOptions certify_options(const std::string& mechanism, double target,
                                 const ParameterValues& parameters = {}) const {
    CertifyOptions options;
    options.mechanism.name = mechanism;
    options.mechanism.epsilon = target;
    options.mechanism.parameters = parameters;
    options.mechanism.model = (mechanism.starts_with("diffractor") ? lists_ : model_)->path().string();
    options.mechanism.resources.threads = 1;
    return options;
  }

  PrivatizeOptions privatize_options(double target) const {
    PrivatizeOptions options;
    options.mechanism.name = "santext";
    options.mechanism.epsilon = target;
    options.target = PrivacyTarget::certified;
    options.mechanism.model = model_->path().string();
    options.key_file = folder_.path() / "key";
    return options;
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_ = write_tiny_model(folder_.path() / "tiny.safetensors");
  std::shared_ptr<const Model> lists_ =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(50),
                     {{"a", stepping_order(50, 1)}, {"b", stepping_order(50, 7)}});
};

TEST_F(CertificateTarget, IsMetFromBelowAndNearly) {
  const std::vector<std::pair<std::string, ParameterValues>> mechanisms = {
      {"santext", {}},
      {"santext", {{"selection", "permute-and-flip"}}},
      {"tem", {}},
      {"tem", {{"gamma", "0.4"}, {"selection", "permute-and-flip"}}},
      {"custext", {{"k", "4"}}},
      {"diffractor-tem", {}},
      {"diffractor-geometric", {}}};
  for (const auto& [name, parameters] : mechanisms) {
    for (const double target : {0.1, 1.0, 7.0}) {
      const auto found = nominal_for_certificate(certify_options(name, target, parameters));
      ASSERT_TRUE(found) << name << ' ' << found.error().message;
      EXPECT_LE(found->epsilon, target) << name;
      EXPECT_GE(found->epsilon, 0.998 * target) << name;
      // It equals the certificate of its own nominal ε.
      CertifyOptions again = certify_options(name, found->subject.epsilon, parameters);
      EXPECT_EQ(certify(again).value().epsilon, found->epsilon) << name;
    }
  }
}

TEST_F(CertificateTarget, IsComputedOnceAndThenFound) {
  const CertifyOptions options = certify_options("santext", 1);
  const TargetedCertificate first = certificate_for_target(options).value();
  EXPECT_FALSE(first.was_stored);
  const TargetedCertificate second = certificate_for_target(options).value();
  EXPECT_TRUE(second.was_stored);
  EXPECT_EQ(second.stored.sha256, first.stored.sha256);
  EXPECT_FALSE(certificate_for_target(certify_options("santext", 1.5)).value().was_stored);
}

TEST_F(CertificateTarget, PrivatizeRunsAtTheNominalEpsilon) {
  expect_error(Privatizer::make(privatize_options(1)), Errc::not_found, "target",
               {"audit (target: certified, mechanism: santext, epsilon: 1, model: "});
  const TargetedCertificate made = certificate_for_target(certify_options("santext", 1)).value();
  const double nominal = made.stored.certificate.subject.epsilon;
  EXPECT_GT(nominal, 1);
  const auto targeted = Privatizer::make(privatize_options(1)).value();
  const Receipt receipt = targeted->receipt();
  EXPECT_EQ(receipt.epsilon, nominal);
  EXPECT_EQ(receipt.guarantee.kind, GuaranteeKind::certified);
  EXPECT_LE(receipt.guarantee.epsilon, 1);
  EXPECT_EQ(receipt.certificate->sha256, made.stored.sha256);
  // Equals a run with that nominal ε.
  PrivatizeOptions plain = privatize_options(nominal);
  plain.target = PrivacyTarget::nominal;
  sotto::Counts counts;
  const std::string text = "the pizza and the dog in paris and the cat in rome";
  EXPECT_EQ(targeted->privatize({"set", "1", ""}, text, counts).value(),
            Privatizer::make(plain).value()->privatize({"set", "1", ""}, text, counts).value());
}

TEST_F(CertificateTarget, RefusesWhatCannotBe) {
  CertifyOptions sampled = certify_options("santext", 1);
  sampled.sample = 5;
  expect_error(nominal_for_certificate(sampled), Errc::invalid_argument, "sample", {"5"});
  expect_error(nominal_for_certificate(certify_options("cmp", 1)), Errc::invalid_argument, "method",
               {"exact", "cmp", "black-box"});
  EXPECT_FALSE(parse_target("both"));
}

}  // namespace
}  // namespace sotto
