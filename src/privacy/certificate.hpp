// Names of certificate files.
#pragma once

#include <optional>
#include <string>

#include <sotto/certificate.hpp>

namespace sotto {

/// A file name that follows from everything in `subject`. With `target` it follows from the certified ε that
/// was asked for instead of the subject's ε and data digest.
std::string certificate_file_name(const CertificateSubject& subject,
                                  std::optional<double> target = std::nullopt);

}  // namespace sotto
