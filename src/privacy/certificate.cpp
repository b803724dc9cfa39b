#include "privacy/certificate.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/version.hpp>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/json_numbers.hpp"

namespace sotto {
using namespace privacy;
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersionOfCertificates = 2;
constexpr const char* kChecksum = "content_sha256";

/// File and model names need not be UTF-8.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string checksum(const Json& content) {
  return base::to_hex(base::sha256(dump(content)));
}

Json subject_json(const CertificateSubject& subject) {
  Json parameters = Json::object();
  for (const auto& [name, value] : subject.parameters) parameters[name] = value;
  return {{"mechanism", subject.mechanism},     {"parameters", parameters},
          {"epsilon", subject.epsilon},         {"model_digest", subject.model_digest},
          {"data_digest", subject.data_digest}, {"stream_version", subject.stream_version}};
}

CertificateSubject read_subject(const Json& json) {
  CertificateSubject subject;
  subject.mechanism = json.at("mechanism");
  for (const auto& [name, value] : json.at("parameters").items()) subject.parameters[name] = value;
  subject.epsilon = json.at("epsilon");
  subject.model_digest = json.at("model_digest");
  subject.data_digest = json.at("data_digest");
  subject.stream_version = base::whole_number<int>(json.at("stream_version"));
  return subject;
}

Json pair_json(const CertifiedPair& pair) {
  return {{"input", pair.input},       {"other", pair.other},       {"output", pair.output},
          {"input_id", pair.input_id}, {"other_id", pair.other_id}, {"output_id", pair.output_id},
          {"distance", pair.distance}, {"loss", pair.loss}};
}

CertifiedPair read_pair(const Json& json) {
  return {json.at("input"),    json.at("other"),     json.at("output"),   json.at("input_id"),
          json.at("other_id"), json.at("output_id"), json.at("distance"), json.at("loss")};
}

Result<GuaranteeScope> read_scope(const std::string& text) {
  for (const auto scope :
       {GuaranteeScope::all_inputs, GuaranteeScope::group, GuaranteeScope::sensitive_outputs})
    if (text == to_string(scope)) return scope;
  return fail(Errc::bad_format, fmt::format("its scope '{}' is not known", text));
}

Json content_json(const Certificate& c) {
  Json json;
  json["certificate"] = kVersionOfCertificates;
  json["sotto"] = kVersion;
  json["is_certificate"] = c.sample == 0;
  json["sample"] = c.sample;
  json["subject"] = subject_json(c.subject);
  json["model"] = c.model;
  json["unit"] = {{"epsilon", c.unit.is_pure() ? "pure" : "metric"},
                  {"metric", c.unit.metric},
                  {"model_digest", c.unit.model}};
  json["scope"] = to_string(c.scope);
  json["method"] = c.method;
  json["certified_epsilon"] = c.epsilon;
  json["attained_epsilon"] = c.attained;
  json["worst"] = pair_json(c.worst);
  json["counts"] = {{"inputs", c.inputs},
                    {"outputs", c.outputs},
                    {"pairs", c.pairs},
                    {"exact_pairs", c.exact_pairs},
                    {"equal_inputs", c.equal_inputs}};
  json["seconds"] = c.seconds;
  return json;
}

Result<void> check_version(const Json& json) {
  const Json& version = json.at("certificate");
  if (version == kVersionOfCertificates) return {};
  return fail(Errc::bad_format, fmt::format("it has version {}, and this program reads version {}",
                                            dump(version), kVersionOfCertificates));
}

Result<Certificate> read_content(const Json& json) {
  Certificate c;
  c.sample = base::whole_number<std::uint64_t>(json.at("sample"));
  c.subject = read_subject(json.at("subject"));
  c.model = json.at("model");
  c.unit = {json.at("unit").at("metric"), json.at("unit").at("model_digest")};
  SOTTO_ASSIGN(c.scope, read_scope(json.at("scope")));
  c.method = json.at("method");
  c.epsilon = json.at("certified_epsilon");
  c.attained = json.at("attained_epsilon");
  c.worst = read_pair(json.at("worst"));
  const Json& counts = json.at("counts");
  c.inputs = base::whole_number<std::uint64_t>(counts.at("inputs"));
  c.outputs = base::whole_number<std::uint64_t>(counts.at("outputs"));
  c.pairs = base::whole_number<std::uint64_t>(counts.at("pairs"));
  c.exact_pairs = base::whole_number<std::uint64_t>(counts.at("exact_pairs"));
  c.equal_inputs = base::whole_number<std::uint64_t>(counts.at("equal_inputs"));
  c.seconds = json.at("seconds");
  if (c.sample != 0) return fail(Errc::bad_format, "it is a sample, not a certificate");
  SOTTO_TRY(check_figures(c));
  return c;
}

/// Adds the arguments that identify a mechanism to those of the audit.
Hint audit(std::vector<Argument> arguments, std::string_view mechanism, const ParameterValues& parameters,
           double epsilon, std::string_view model) {
  arguments.push_back({"mechanism", std::string(mechanism)});
  arguments.push_back({"epsilon", fmt::to_string(epsilon)});
  for (const auto& [name, value] : parameters) arguments.push_back({"parameters." + name, value});
  if (!model.empty()) arguments.push_back({"model", std::string(model)});
  return {"audit", std::move(arguments)};
}

Json json_of(const Certificate& certificate) {
  Json json = content_json(certificate);
  json[kChecksum] = checksum(json);
  return json;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  return base::json_text(json_of(certificate));
}

std::string to_json(const StoredCertificate& stored, bool was_stored) {
  Json json = json_of(stored.certificate);
  json["stored"] = {{"file", stored.file.string()}, {"sha256", stored.sha256}, {"was_stored", was_stored}};
  return base::json_text(json);
}

Result<void> privacy::check_figures(const Certificate& certificate) {
  const CertifiedPair& worst = certificate.worst;
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(certificate.epsilon) || !positive(certificate.attained))
    return fail(
        Errc::bad_format,
        fmt::format("it certifies epsilon {} and attains {}, and nothing that tells inputs apart does "
                    "so without loss",
                    certificate.epsilon, certificate.attained));
  if (!positive(certificate.subject.epsilon) || !positive(worst.distance) || !positive(worst.loss) ||
      certificate.attained > certificate.epsilon)
    return fail(Errc::bad_format, "its figures are impossible");
  return {};
}

Result<Certificate> parse_certificate(std::string_view text) {
  try {
    Json json = base::parse_json<Json>(text);
    SOTTO_TRY(check_version(json));
    const std::string stated = json.at(kChecksum);
    json.erase(kChecksum);
    if (stated != checksum(json)) return fail(Errc::bad_format, "it is damaged: its checksum is wrong");
    return read_content(json);
  } catch (const Json::exception&) {  // nlohmann reports missing members and wrong types this way
    return fail(Errc::bad_format, "it is damaged: it is not a complete JSON certificate");
  }
}

std::string privacy::certificate_file_name(const CertificateSubject& subject, std::optional<double> target) {
  Json key = subject_json(subject);
  key["epsilon"] = fmt::format("{:a}", target.value_or(subject.epsilon));
  if (target) {
    key.erase("data_digest");
    key["target"] = "certified";
  }
  return fmt::format("{}-{}{}.json", subject.mechanism, target ? "target-" : "",
                     base::to_hex(base::sha256(dump(key))).substr(0, 32));
}

Hint privacy::audit_hint(std::string_view mechanism, const ParameterValues& parameters, double target,
                         std::string_view model) {
  return audit({{"target", "certified"}}, mechanism, parameters, target, model);
}

Hint privacy::audit_hint(const CertificateSubject& subject, std::string_view model) {
  return audit({}, subject.mechanism, subject.parameters, subject.epsilon, model);
}

}  // namespace sotto
