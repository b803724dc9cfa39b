// Certificates as JSON and on disk, and how receipts use them.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/certificate.hpp>
#include <sotto/privatize.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

namespace fs = std::filesystem;

class CertificateStore : public ::testing::Test {
 protected:
  CertificateStore() {
    fs::create_directory(folder_.path() / "models");
    model_ = write_tiny_model(folder_.path() / "models" / "tiny.safetensors");
    std::ofstream(folder_.path() / "key", std::ios::binary) << std::string(32, 'k');
    ::setenv("XDG_DATA_HOME", (folder_.path() / "data").c_str(), 1);
  }
  ~CertificateStore() override { ::unsetenv("XDG_DATA_HOME"); }

  CertifyOptions certify_options(double epsilon, const std::string& mechanism = "santext") const {
    CertifyOptions options;
    options.mechanism.name = mechanism;
    options.mechanism.epsilon = epsilon;
    options.mechanism.model = model_->path().string();
    options.mechanism.resources.threads = 1;
    return options;
  }

  PrivatizeOptions privatize_options(double epsilon) const {
    PrivatizeOptions options;
    options.mechanism.name = "santext";
    options.mechanism.epsilon = epsilon;
    options.mechanism.model = model_->path().string();
    options.key_file = folder_.path() / "key";
    return options;
  }

  Receipt receipt(const PrivatizeOptions& options) const {
    return Privatizer::make(options).value()->receipt();
  }

  static void replace(const fs::path& file, const std::string& from, const std::string& to) {
    std::string text = base::read_file(file).value();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(file, std::ios::binary) << text.replace(at, from.size(), to);
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_;
};

TEST_F(CertificateStore, JsonKeepsEverything) {
  for (const std::string mechanism : {"santext", "custext"}) {
    const Certificate made = certify(certify_options(1.1, mechanism)).value();
    const Certificate read = parse_certificate(to_json(made)).value();
    EXPECT_EQ(to_json(read), to_json(made));
    EXPECT_EQ(read.subject, made.subject);
    EXPECT_EQ(read.epsilon, made.epsilon);
    EXPECT_EQ(read.attained, made.attained);
    EXPECT_EQ(read.scope, made.scope);
    EXPECT_EQ(read.unit, made.unit);
  }
}

TEST_F(CertificateStore, AnOpenMechanismGetsTheSameCertificate) {
  const auto without_time = [](Result<Certificate> made) {
    Certificate certificate = std::move(made).value();
    certificate.seconds = 0;
    return to_json(certificate);
  };
  for (const std::string mechanism : {"santext", "custext"}) {
    CertifyOptions by_name = certify_options(1.1, mechanism);
    const OpenMechanism open = open_mechanism(by_name.mechanism).value();
    EXPECT_EQ(without_time(certify(open)), without_time(certify(by_name)));
    if (mechanism == "custext") continue;  // takes no sample
    by_name.sample = 5;
    CertifyOptions with = by_name;
    with.mechanism = {.name = "absent", .epsilon = 9, .model = "absent"};
    EXPECT_EQ(without_time(certify(open, with)), without_time(certify(by_name)));
  }
  const OpenMechanism noise = open_mechanism(certify_options(1.1, "cmp").mechanism).value();
  expect_error(certify(noise), Errc::invalid_argument, "method", {"cmp", "black-box"});
}

TEST_F(CertificateStore, NoChangeOfTheContentGoesUnnoticed) {
  const std::string json = to_json(certify(certify_options(1)).value());
  for (std::size_t i = 0; i < json.size(); ++i) {
    std::string damaged = json;
    damaged[i] = damaged[i] == '1' ? '2' : '1';
    for (const std::string& text : {damaged, json.substr(0, i)}) {
      const auto read = parse_certificate(text);
      EXPECT_TRUE(!read || to_json(*read) == json) << text;  // a blank or a twentieth digit changes nothing
    }
  }
}

TEST_F(CertificateStore, NumbersThatWouldWrapAroundAreRefused) {
  using Json = nlohmann::ordered_json;
  const std::string made = to_json(certify(certify_options(1)).value());
  for (const char* number : {"4294967297", "-1e300", "1.5"}) {
    Json json = Json::parse(made);
    json.erase("content_sha256");
    json["subject"]["stream_version"] = Json::parse(number);
    json["content_sha256"] = base::to_hex(base::sha256(json.dump()));
    expect_error(parse_certificate(json.dump()), Errc::bad_format, {"certificate"});
  }
}

TEST_F(CertificateStore, ASampleIsNeitherStoredNorRead) {
  CertifyOptions options = certify_options(1);
  options.sample = 5;
  const Certificate sample = certify(options).value();
  EXPECT_EQ(sample.sample, 5U);
  EXPECT_FALSE(nlohmann::json::parse(to_json(sample))["is_certificate"]);
  expect_error(parse_certificate(to_json(sample)), Errc::bad_format, {"sample"});
  expect_error(store_certificate(sample, model_->path()), Errc::invalid_argument, {"sample"});
}

TEST_F(CertificateStore, AReceiptSaysCertifiedOnlyWithACertificate) {
  EXPECT_EQ(receipt(privatize_options(2)).guarantee.kind, GuaranteeKind::analytic);
  const auto stored = store_certificate(certify(certify_options(2)).value(), model_->path()).value();
  EXPECT_EQ(stored.file.parent_path(), folder_.path() / "models" / "certificates");
  EXPECT_EQ(stored.sha256, base::to_hex(base::sha256(base::read_file(stored.file).value())));
  const Receipt certified = receipt(privatize_options(2));
  EXPECT_EQ(certified.guarantee.kind, GuaranteeKind::certified);
  EXPECT_EQ(certified.guarantee.epsilon, stored.certificate.epsilon);
  EXPECT_LT(certified.guarantee.epsilon, 2);
  const auto json = nlohmann::json::parse(to_json(certified));
  EXPECT_EQ(json["guarantee"]["kind"], "certified");
  EXPECT_EQ(json["guarantee"]["certificate"]["epsilon"], stored.certificate.epsilon);
  EXPECT_EQ(json["guarantee"]["certificate"]["nominal_epsilon"], 2);
  EXPECT_EQ(json["guarantee"]["certificate"]["sha256"], stored.sha256);
  EXPECT_EQ(json["mechanism"]["epsilon"], 2);
}

TEST_F(CertificateStore, AnythingElseIsNotCovered) {
  store_certificate(certify(certify_options(2)).value(), model_->path()).value();
  EXPECT_EQ(receipt(privatize_options(2.0000001)).guarantee.kind, GuaranteeKind::analytic);
  PrivatizeOptions other = privatize_options(2);
  other.mechanism.parameters["selection"] = "permute-and-flip";
  EXPECT_EQ(receipt(other).guarantee.kind, GuaranteeKind::analytic);
  other = privatize_options(2);
  other.mechanism.name = "tem";
  EXPECT_EQ(receipt(other).guarantee.kind, GuaranteeKind::analytic);
  VectorModel parts = tiny_model_parts();
  parts.vectors[0] += 1;
  const auto changed = write_vector_model(folder_.path() / "models" / "changed.safetensors", parts);
  other = privatize_options(2);
  other.mechanism.model = changed->path().string();
  EXPECT_EQ(receipt(other).guarantee.kind, GuaranteeKind::analytic);
  // Seeded noise is public, whatever has been certified.
  other = privatize_options(2);
  other.key_file.reset();
  other.seed = 1;
  const auto json = nlohmann::json::parse(to_json(receipt(other)));
  EXPECT_EQ(json["guarantee"]["kind"], "none");
  EXPECT_FALSE(json["guarantee"].contains("certificate"));
}

TEST_F(CertificateStore, ACertificateUnderAnotherNameIsIgnored) {
  const auto one = store_certificate(certify(certify_options(1)).value(), model_->path()).value();
  const auto two = store_certificate(certify(certify_options(2)).value(), model_->path()).value();
  fs::copy_file(one.file, two.file, fs::copy_options::overwrite_existing);
  EXPECT_EQ(receipt(privatize_options(2)).guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(receipt(privatize_options(1)).guarantee.kind, GuaranteeKind::certified);
}

TEST_F(CertificateStore, ADamagedCertificateIsReported) {
  const auto stored = store_certificate(certify(certify_options(2)).value(), model_->path()).value();
  replace(stored.file, "\"certified_epsilon\": 1.", "\"certified_epsilon\": 0.");
  expect_error(Privatizer::make(privatize_options(2)), Errc::bad_format,
               {stored.file.string(), "damaged", "checksum", "audit (mechanism: "});
  std::ofstream(stored.file, std::ios::binary) << "";
  expect_error(Privatizer::make(privatize_options(2)), Errc::bad_format, {"damaged"});
  EXPECT_TRUE(Privatizer::make(privatize_options(3)));
}

TEST_F(CertificateStore, TheUsersFolderTakesOverWhereTheModelsCannotBeWritten) {
  // A file in place of the folder fails even for root, unlike a folder without permission.
  std::ofstream(folder_.path() / "models" / "certificates") << "in the way";
  const auto stored = store_certificate(certify(certify_options(2)).value(), model_->path()).value();
  EXPECT_EQ(stored.file.parent_path(), folder_.path() / "data" / "sotto" / "certificates");
  EXPECT_EQ(receipt(privatize_options(2)).guarantee.kind, GuaranteeKind::certified);
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/proc/nowhere", 1);
  expect_error(store_certificate(stored.certificate, model_->path()), Errc::io, {"models"});
}

}  // namespace
}  // namespace sotto
