// How certificates are looked up, and how they change a guarantee.
#pragma once

#include <optional>

#include <sotto/certificate.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>

namespace sotto::pipeline {

CertificateSubject certificate_subject(std::string_view name, const ParameterValues& parameters,
                                       double epsilon, const Model& model, const Mechanism& mechanism);

/// Refuses a certificate whose unit or scope is not the mechanism's, or whose named pair does not have the
/// stated loss under the integers the mechanism samples.
Result<void> check_certificate(const StoredCertificate& stored, const Mechanism& mechanism,
                               const Model& model);

/// The guarantee of the mechanism that the certificate is about, with its computed ε instead of the proved
/// one.
Guarantee certified_guarantee(Guarantee guarantee, const Certificate& certificate);

}  // namespace sotto::pipeline
