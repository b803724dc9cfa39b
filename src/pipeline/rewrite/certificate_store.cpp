#include "pipeline/rewrite/certificate_store.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/message.hpp"
#include "embed/model_paths.hpp"
#include "mechanisms/loss/pair_loss.hpp"
#include "privacy/certificate.hpp"
#include "random/document_stream.hpp"

namespace sotto {
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

// A certificate takes about two kilobytes.
constexpr std::uintmax_t kLargestFile = 1 << 20;

/// The folders with certificates about a model: one next to it, and one in the user's data folder.
std::vector<fs::path> certificate_folders(const fs::path& model) {
  std::vector<fs::path> folders = {model.parent_path() / "certificates"};
  if (const fs::path data = embed::user_data_folder(); !data.empty())
    folders.push_back(data / "certificates");
  return folders;
}

Result<void> write_file(const fs::path& file, std::string_view content) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return fail(Errc::io,
                fmt::format("cannot make the folder {}: {}", file.parent_path().string(), error.message()));
  SOTTO_ASSIGN(base::AtomicFile output, base::AtomicFile::create(file));
  SOTTO_TRY(output.write(content));
  return output.commit();
}

/// Writes under both names, or under none that counts: the target's name comes last.
Result<StoredCertificate> store_in(const fs::path& folder, const Certificate& certificate,
                                   std::optional<double> target) {
  const std::string json = to_json(certificate);
  const fs::path file = folder / privacy::certificate_file_name(certificate.subject);
  SOTTO_TRY(write_file(file, json));
  if (target)
    SOTTO_TRY(write_file(folder / privacy::certificate_file_name(certificate.subject, target), json));
  return StoredCertificate{certificate, file, base::to_hex(base::sha256(json))};
}

/// `remedy` makes the certificate.
tl::unexpected<Error> unusable(const fs::path& file, std::string_view why, Hint remedy) {
  return fail(Errc::bad_format,
              base::format_message("certificate {} cannot be used: {}; make it again with '{{0}}'",
                                   file.string(), why),
              {std::move(remedy)});
}

Result<std::optional<StoredCertificate>> read(const std::string& name, const fs::path& model,
                                              const Hint& remedy) {
  for (const fs::path& folder : certificate_folders(model)) {
    const fs::path file = folder / name;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    if (fs::file_size(file, ignored) > kLargestFile)
      return unusable(file, "it is damaged: it is far too long", remedy);
    SOTTO_ASSIGN(const std::string json, base::read_file(file));
    auto certificate = parse_certificate(json);
    if (!certificate) return unusable(file, describe(certificate.error()), remedy);
    return StoredCertificate{std::move(*certificate), file, base::to_hex(base::sha256(json))};
  }
  return std::nullopt;
}

}  // namespace

CertificateSubject pipeline::certificate_subject(std::string_view name, const ParameterValues& parameters,
                                                 double epsilon, const Model& model,
                                                 const Mechanism& mechanism) {
  return {std::string(name),     parameters, epsilon, model.digest(), mechanism.data_digest(),
          random::kStreamVersion};
}

Guarantee pipeline::certified_guarantee(Guarantee guarantee, const Certificate& certificate) {
  guarantee.kind = GuaranteeKind::certified;
  guarantee.epsilon = certificate.epsilon;
  // The certificate accounts for every rounding, so this is the only assumption of the proof that remains.
  guarantee.assumptions = {"the keyed stream is indistinguishable from uniform bits"};
  guarantee.statement += fmt::format(
      " Certified from the integers that are sampled: epsilon {} in place of {}, the largest loss over all "
      "inputs "
      "and outputs.",
      certificate.epsilon, certificate.subject.epsilon);
  return guarantee;
}

Result<StoredCertificate> store_certificate(const Certificate& certificate, const fs::path& model,
                                            std::optional<double> target) {
  if (certificate.sample > 0)
    return fail(Errc::invalid_argument, "a sample is not a certificate and is not stored");
  SOTTO_TRY(privacy::check_figures(certificate));
  std::optional<Error> error;
  for (const fs::path& folder : certificate_folders(model)) {
    auto stored = store_in(folder, certificate, target);
    if (stored) return stored;
    if (!error) error = std::move(stored.error());
  }
  return tl::unexpected(std::move(*error));
}

Result<void> pipeline::check_certificate(const StoredCertificate& stored, const Mechanism& mechanism,
                                         const Model& model) {
  const Certificate& certificate = stored.certificate;
  const auto refused = [&](std::string_view why) {
    return unusable(stored.file, why, privacy::audit_hint(certificate.subject, model.path().string()));
  };
  const Guarantee guarantee = mechanism.guarantee();
  if (!(certificate.unit == guarantee.unit) || certificate.scope != guarantee.scope)
    return refused("it is in another unit or scope than the mechanism's promise");
  const CertifiedPair& worst = certificate.worst;
  const auto again =
      mechanism::pair_loss(mechanism, model, {worst.input_id, worst.other_id, worst.output_id});
  if (!again) return refused(describe(again.error()));
  if (again->per_distance.lower != certificate.attained || again->loss != worst.loss ||
      again->distance != worst.distance)
    return refused(fmt::format("the pair it names loses {} per unit of distance, and it says {}",
                               again->per_distance.lower, certificate.attained));
  return {};
}

Result<std::optional<StoredCertificate>> find_certificate(const CertificateSubject& subject,
                                                          const Mechanism& mechanism, const Model& model) {
  SOTTO_ASSIGN(auto found, read(privacy::certificate_file_name(subject), model.path(),
                                privacy::audit_hint(subject, model.path().string())));
  if (found && !(found->certificate.subject == subject)) found.reset();
  if (found) SOTTO_TRY(check_certificate(*found, mechanism, model));
  return found;
}

Result<std::optional<StoredCertificate>> find_targeted_certificate(std::string_view mechanism,
                                                                   const ParameterValues& parameters,
                                                                   double target, const Model& model) {
  CertificateSubject wanted{std::string(mechanism), parameters, 0,
                            model.digest(),         {},         random::kStreamVersion};
  SOTTO_ASSIGN(auto found, read(privacy::certificate_file_name(wanted, target), model.path(),
                                privacy::audit_hint(mechanism, parameters, target, model.path().string())));
  if (!found) return found;
  wanted.epsilon = found->certificate.subject.epsilon;
  wanted.data_digest = found->certificate.subject.data_digest;
  if (!(found->certificate.subject == wanted) || found->certificate.epsilon > target) found.reset();
  return found;
}

}  // namespace sotto
