// An exact audit: a certificate that is computed, or found, and stored where runs look for it.
#pragma once

#include <optional>
#include <string>

#include <sotto/api.hpp>
#include <sotto/certificate.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct ExactAuditOptions {
  CertifyOptions certify;  ///< if `target` is certified, its ε is the largest certified one allowed
  PrivacyTarget target = PrivacyTarget::nominal;
};

struct ExactAudit {
  Certificate certificate;
  std::optional<StoredCertificate> stored;  ///< the same, and where it is; empty for a sample
  bool was_stored = false;                  ///< it was found there, not computed
};

/// As JSON, ending in a newline: a stored certificate with its place (docs/schemas/exact_audit.schema.json),
/// a sample alone. Thread-safe.
SOTTO_API std::string to_json(const ExactAudit& audit);

/// certify() and store_certificate(), or certificate_for_target(). A sample is not stored. Thread-safe unless
/// another thread changes the environment.
SOTTO_API Result<ExactAudit> audit_exact(const ExactAuditOptions& options);

}  // namespace sotto
