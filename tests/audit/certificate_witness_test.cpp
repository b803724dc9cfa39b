// A certificate is about the bytes that are sampled from, and names the pair that attains it: whoever quotes
// it recomputes that loss.
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/certificate.hpp>
#include <sotto/privatize.hpp>

#include "base/file.hpp"
#include "mechanisms/loss/pair_loss.hpp"
#include "privacy/certificate.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

namespace fs = std::filesystem;

class CertificateWitness : public ::testing::Test {
 protected:
  CertificateWitness() {
    std::ofstream(folder_.path() / "key", std::ios::binary) << std::string(32, 'k');
    ::setenv("XDG_DATA_HOME", (folder_.path() / "data").c_str(), 1);
    fs::create_directories(folder_.path() / "wordnet");
    write_tiny_wordnet(folder_.path() / "wordnet",
                       {{'n', {"pizza", "pasta"}}, {'n', {"dog", "cat", "horse"}}});
  }
  ~CertificateWitness() override { ::unsetenv("XDG_DATA_HOME"); }

  CertifyOptions certify_options(const std::string& mechanism = "santext", double epsilon = 2,
                                 const ParameterValues& parameters = {}) const {
    CertifyOptions options;
    options.mechanism.name = mechanism;
    options.mechanism.epsilon = epsilon;
    options.mechanism.parameters = parameters;
    options.mechanism.model = model_of(mechanism)->path().string();
    options.mechanism.resources.threads = 1;
    return options;
  }

  PrivatizeOptions privatize_options(const std::string& mechanism = "santext", double epsilon = 2,
                                     const ParameterValues& parameters = {}) const {
    PrivatizeOptions options;
    options.mechanism.name = mechanism;
    options.mechanism.epsilon = epsilon;
    options.mechanism.parameters = parameters;
    options.mechanism.model = model_of(mechanism)->path().string();
    options.key_file = folder_.path() / "key";
    return options;
  }

  std::shared_ptr<const Model> model_of(const std::string& mechanism) const {
    return mechanism.starts_with("diffractor") ? lists_ : model_;
  }

  StoredCertificate stored() const {
    return store_certificate(certify(certify_options()).value(), model_->path()).value();
  }

  /// Expects a run to refuse a certificate that somebody has put in place of the stored one.
  void expect_refused(const Certificate& forged, const std::string& part) const {
    const fs::path file =
        model_->path().parent_path() / "certificates" / privacy::certificate_file_name(forged.subject);
    std::ofstream(file, std::ios::binary) << to_json(forged);
    expect_error(Privatizer::make(privatize_options()), Errc::bad_format,
                 {file.string(), "cannot be used", part, "'audit (mechanism: santext, epsilon: 2, "});
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_ = write_tiny_model(folder_.path() / "tiny.safetensors");
  std::shared_ptr<const Model> lists_ =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(50),
                     {{"a", stepping_order(50, 1)}, {"b", stepping_order(50, 7)}});
};

// Vectors overwritten under a header that still states the digest of the old ones.
TEST_F(CertificateWitness, OverwrittenVectorsQuoteNothingOfTheOldModel) {
  const StoredCertificate certificate = stored();
  const auto before = Privatizer::make(privatize_options()).value();
  ASSERT_EQ(before->receipt().guarantee.kind, GuaranteeKind::certified);
  std::string bytes = base::read_file(model_->path()).value();
  const std::string_view vectors = base::as_bytes(model_->vectors16());
  const std::size_t at = bytes.find(vectors);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 0; i < vectors.size(); i += 2) bytes[at + i] = static_cast<char>(bytes[at + i] ^ 0x1F);
  fs::remove(model_->path());
  std::ofstream(model_->path(), std::ios::binary) << bytes;

  const auto changed = Model::open(model_->path()).value();
  EXPECT_EQ(changed->stored_sha256(), model_->stored_sha256());
  EXPECT_NE(changed->digest(), model_->digest());
  EXPECT_FALSE(changed->verify());
  const auto after = Privatizer::make(privatize_options()).value();
  const Receipt receipt = after->receipt();
  EXPECT_EQ(receipt.guarantee.kind, GuaranteeKind::analytic);
  EXPECT_FALSE(receipt.certificate);
  EXPECT_EQ(receipt.model_digest, changed->digest());
  EXPECT_EQ(receipt.guarantee.unit.model, changed->digest());
  EXPECT_NE(receipt.configuration_digest, before->receipt().configuration_digest) << "another stream key";
  // Even a certificate altered to name the new model meets integers that do not bear it out.
  Certificate forged = certificate.certificate;
  forged.subject.model_digest = changed->digest();
  forged.unit.model = changed->digest();
  expect_refused(forged, "per unit of distance");
}

struct Case {
  const char* mechanism;
  double epsilon;
  ParameterValues parameters;
};

// One of each form of integer rows, including mixtures of lists.
TEST_F(CertificateWitness, IsWhatTheRowsSayAndIsQuoted) {
  const std::string wordnet = (folder_.path() / "wordnet").string();
  const std::vector<Case> cases = {{"santext", 2, {}},
                                   {"santext", 2, {{"selection", "permute-and-flip"}}},
                                   {"tem", 3, {{"gamma", "0.7"}}},
                                   {"custext", 1, {{"k", "4"}}},
                                   {"syntf", 1, {{"candidates", "vocabulary"}, {"wordnet", wordnet}}},
                                   {"diffractor-tem", 1, {{"lists", "L2"}}},
                                   {"diffractor-tem", 1, {}},
                                   {"diffractor-geometric", 0.5, {{"lists", "L2"}}},
                                   {"diffractor-geometric", 0.5, {}}};
  for (const auto& [name, epsilon, parameters] : cases) {
    SCOPED_TRACE(::testing::Message() << name << ' ' << parameters.size());
    const auto made = certify(certify_options(name, epsilon, parameters));
    ASSERT_TRUE(made) << made.error().message;
    const auto model = model_of(name);
    const auto mechanism = make_mechanism(name, model, epsilon, parameters).value();
    const CertifiedPair& worst = made->worst;
    const double loss = std::log(mechanism->row(worst.input_id)[worst.output_id] /
                                 mechanism->row(worst.other_id)[worst.output_id]);
    EXPECT_NEAR(loss, worst.loss, 1e-9);
    EXPECT_NEAR(mechanism->distance(worst.input_id, worst.other_id), worst.distance, 1e-12 * worst.distance);
    EXPECT_NEAR(loss / worst.distance, made->attained, 1e-9);
    EXPECT_EQ(worst.output, model->word(worst.output_id));
    EXPECT_GT(made->attained, 0);
    EXPECT_LE(made->attained, made->epsilon);
    ASSERT_TRUE(store_certificate(*made, model->path()));
    const auto run = Privatizer::make(privatize_options(name, epsilon, parameters));
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ((*run)->receipt().guarantee.kind, GuaranteeKind::certified);
  }
}

TEST_F(CertificateWitness, AnotherPairOrLossIsRefused) {
  const Certificate right = stored().certificate;
  const auto forged = [&](auto change) {
    Certificate copy = right;
    change(copy);
    return copy;
  };
  const std::string mismatch = "per unit of distance";
  expect_refused(forged([](Certificate& c) { c.attained /= 2; }), mismatch);
  expect_refused(forged([](Certificate& c) { c.attained = std::nextafter(c.attained, 0); }), mismatch);
  expect_refused(forged([](Certificate& c) { c.epsilon /= 2, c.attained /= 2; }), mismatch);
  expect_refused(forged([](Certificate& c) { c.worst.loss *= 2; }), mismatch);
  expect_refused(forged([](Certificate& c) { c.worst.distance *= 2; }), mismatch);
  expect_refused(forged([&](Certificate& c) { c.worst.output_id = (c.worst.output_id + 1) % 12; }), mismatch);
  expect_refused(forged([](Certificate& c) { std::swap(c.worst.input_id, c.worst.other_id); }), mismatch);
  expect_refused(forged([](Certificate& c) { c.worst.other_id = c.worst.input_id; }), "no distance");
  expect_refused(forged([](Certificate& c) { c.worst.output_id = 12; }), "does not have");
  expect_refused(forged([](Certificate& c) { c.worst.input_id = 13; }), "does not have");
  expect_refused(forged([](Certificate& c) { c.scope = GuaranteeScope::group; }), "scope");
  expect_refused(forged([](Certificate& c) { c.unit.metric += "s"; }), "unit");
  EXPECT_EQ(store_certificate(right, model_->path()).value().certificate.epsilon, right.epsilon);
  EXPECT_EQ(Privatizer::make(privatize_options()).value()->receipt().guarantee.kind,
            GuaranteeKind::certified);
}

TEST_F(CertificateWitness, FiguresThatCannotBeAreRefused) {
  const Certificate right = stored().certificate;
  const double nan = std::nan("");
  for (const double epsilon : {0.0, -0.0, -1.0, nan, HUGE_VAL}) {
    Certificate forged = right;
    forged.epsilon = epsilon;
    expect_error(parse_certificate(to_json(forged)), Errc::bad_format, {});
    expect_error(store_certificate(forged, model_->path()), Errc::bad_format, {});
    forged = right;
    forged.attained = epsilon;
    expect_error(parse_certificate(to_json(forged)), Errc::bad_format, {});
  }
  Certificate forged = right;
  forged.epsilon = right.attained / 2;
  expect_refused(forged, "impossible");
  forged.epsilon = forged.attained = 0;
  expect_refused(forged, "certifies epsilon 0");
}

TEST_F(CertificateWitness, AnOldVersionIsRefusedWithItsRemedy) {
  const StoredCertificate certificate = stored();
  auto json = nlohmann::ordered_json::parse(base::read_file(certificate.file).value());
  json["certificate"] = 1;
  std::ofstream(certificate.file, std::ios::binary) << json.dump();
  expect_error(Privatizer::make(privatize_options()), Errc::bad_format,
               {certificate.file.string(), "version 1", "version 2",
                "audit (mechanism: santext, epsilon: 2, parameters.selection: exponential, model: " +
                    model_->path().string()});
}

TEST_F(CertificateWitness, NestedAndEndlessFilesAreRefused) {
  const StoredCertificate certificate = stored();
  const auto refused = [&](const std::string& content) {
    std::ofstream(certificate.file, std::ios::binary) << content;
    expect_error(Privatizer::make(privatize_options()), Errc::bad_format, {"damaged"});
  };
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  refused(deep);
  refused(R"({"certificate": 2, "subject": )" + deep + R"(, "content_sha256": ""})");
  refused(std::string(2 << 20, ' '));
}

// One row for all inputs: the loss is 0, and nothing can attain it.
TEST_F(CertificateWitness, NothingToTellApartIsNoCertificate) {
  expect_error(certify(certify_options("diffractor-tem", 1, {{"gamma", "0"}})), Errc::invalid_argument,
               {"diffractor-tem", "told apart"});
}

TEST_F(CertificateWitness, PairLossRefusesWhatIsNotThere) {
  const auto custext = make_mechanism("custext", model_, 1, {{"k", "4"}}).value();
  int of_one_group = 0;
  for (TokenId other = 1; other < model_->size(); ++other)
    of_one_group += mechanism::pair_loss(*custext, *model_, {0, other, 0}).has_value() ? 1 : 0;
  EXPECT_EQ(of_one_group, 3);
  const auto cmp = make_mechanism("cmp", model_, 1, {}).value();
  EXPECT_FALSE(mechanism::pair_loss(*cmp, *model_, {0, 1, 0}));
}

}  // namespace
}  // namespace sotto
