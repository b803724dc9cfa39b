// Names of certificate files, and what makes a certificate one.
#pragma once

#include <optional>
#include <string>

#include <sotto/certificate.hpp>

namespace sotto {

/// A file name that follows from everything in `subject`. With `target` it follows from the certified ε that
/// was asked for instead of the subject's ε and data digest.
std::string certificate_file_name(const CertificateSubject& subject,
                                  std::optional<double> target = std::nullopt);

/// Refuses figures that no certificate can have: ε that is not above 0 and finite, a pair that attains
/// nothing or more than is certified.
Result<void> check_figures(const Certificate& certificate);

/// The audit that makes the certificate about `subject`.
Hint audit_hint(const CertificateSubject& subject, std::string_view model);

/// The audit that makes the certificate for a certified ε.
Hint audit_hint(std::string_view mechanism, const ParameterValues& parameters, double target,
                std::string_view model);

}  // namespace sotto
