// Names of certificate files, and checks of certificates.
#pragma once

#include <optional>
#include <string>

#include <sotto/certificate.hpp>

namespace sotto::privacy {

/// A file name derived from everything in `subject`. With `target` it is derived from the requested certified
/// ε instead of the subject's ε and data digest.
std::string certificate_file_name(const CertificateSubject& subject,
                                  std::optional<double> target = std::nullopt);

/// Refuses figures that no certificate can have: an ε that is not positive and finite, or a pair that attains
/// nothing or more than is certified.
Result<void> check_figures(const Certificate& certificate);

/// The audit that produces the certificate about `subject`.
Hint audit_hint(const CertificateSubject& subject, std::string_view model);

/// The audit that produces the certificate for a certified ε.
Hint audit_hint(std::string_view mechanism, const ParameterValues& parameters, double target,
                std::string_view model);

}  // namespace sotto::privacy
