#include <utility>

#include <sotto/exact_audit.hpp>

namespace sotto {

std::string to_json(const ExactAudit& audit) {
  return audit.stored ? to_json(*audit.stored, audit.was_stored) : to_json(audit.certificate);
}

Result<ExactAudit> audit_exact(const ExactAuditOptions& options) {
  const CertifyOptions& wanted = options.certify;
  if (options.target == PrivacyTarget::certified) {
    SOTTO_ASSIGN(TargetedCertificate found, certificate_for_target(wanted));
    Certificate certificate = found.stored.certificate;
    return ExactAudit{std::move(certificate), std::move(found.stored), found.was_stored};
  }
  SOTTO_ASSIGN(Certificate certificate, certify(wanted));
  if (wanted.sample > 0) return ExactAudit{std::move(certificate), std::nullopt};
  SOTTO_ASSIGN(const auto model, find_model(wanted.mechanism));
  SOTTO_ASSIGN(StoredCertificate stored, store_certificate(certificate, model));
  return ExactAudit{std::move(certificate), std::move(stored)};
}

}  // namespace sotto
