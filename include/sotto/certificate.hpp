// Certificates: the largest privacy loss of a mechanism over all pairs of inputs and all outputs, computed
// from the integers that are sampled and rounded against us. Stored as JSON beside the model, found again by
// what they are about, quoted in receipts by their hash. All functions are safe to call from several threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What a certificate is about. Two mechanisms that could sample different integers differ here.
struct CertificateSubject {
  std::string mechanism;
  ParameterValues parameters;  ///< complete
  double epsilon = 0;          ///< nominal: what the mechanism was built with
  std::string model_digest;    ///< Model::digest()
  std::string data_digest;     ///< Mechanism::data_digest()
  int stream_version = 0;      ///< of the samplers

  bool operator==(const CertificateSubject&) const = default;
};

/// Two inputs and the output that tells them apart best. The ids say which; the words, with "⊥" for ⊥, are
/// for people. All words are empty when a sample has no two inputs that differ.
struct CertifiedPair {
  std::string input;  ///< more likely to give the output
  std::string other;  ///< less likely
  std::string output;
  TokenId input_id = 0;
  TokenId other_id = 0;
  TokenId output_id = 0;
  double distance = 0;  ///< in the certificate's unit; 1 for pure ε
  double loss = 0;      ///< ln(P(output|input) / P(output|other)), rounded up
};

/// ln(P(y|x)/P(y|x′)) <= epsilon·d(x, x′) for all inputs x, x′ of the scope, ⊥ included, and all outputs y.
struct Certificate {
  CertificateSubject subject;
  std::string model;  ///< name, for people
  PrivacyUnit unit;
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  std::string method;   ///< in words: what was computed
  double epsilon = 0;   ///< certified: an upper bound, rounded up
  double attained = 0;  ///< `worst` really has at least this loss a unit of distance, rounded down
  CertifiedPair worst;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t pairs = 0;         ///< of inputs, in any order, that the bound covers
  std::uint64_t exact_pairs = 0;   ///< of these, evaluated exactly over all outputs
  std::uint64_t equal_inputs = 0;  ///< inputs at distance 0 from an earlier one; their rows were found equal
  std::uint64_t sample = 0;  ///< above 0: only so many inputs were looked at, and this is no certificate
  double seconds = 0;
};

/// As JSON (docs/schemas/certificate.schema.json describes it), ending in a newline. It has a checksum of its
/// own.
std::string to_json(const Certificate& certificate);

/// The inverse of to_json; refuses what is incomplete, changed, of another version or only a sample, and a
/// certified or attained ε that is not above 0.
Result<Certificate> parse_certificate(std::string_view json);

/// A certificate that was read from or written to a file.
struct StoredCertificate {
  Certificate certificate;
  std::filesystem::path file;
  std::string sha256;  ///< of the file, in hex
};

/// The certificate as JSON, and beside it where it is stored (docs/schemas/exact_audit.schema.json), ending
/// in a newline. `was_stored`: it was found there and not computed.
std::string to_json(const StoredCertificate& stored, bool was_stored);

/// What certify() needs.
struct CertifyOptions {
  std::string mechanism;
  double epsilon = 0;          ///< nominal; the wanted certificate for nominal_for_certificate
  ParameterValues parameters;  ///< the rest take their defaults
  std::string model;           ///< name or path; empty: the mechanism's default
  std::uint64_t sample = 0;    ///< look only at so many inputs, chosen evenly; 0: all
  MechanismResources resources;
  ProgressCallback progress;
};

/// Computes a certificate. Refuses, with the reason, a mechanism that has none, and one whose inputs cannot
/// be told apart: a certificate names the pair that attains it.
Result<Certificate> certify(const CertifyOptions& options);

/// The certificate of the largest nominal ε found whose certificate is at most options.epsilon, to about one
/// part in a thousand. Nothing is assumed about how the certificate depends on ε: what is returned was
/// computed for its own nominal ε.
Result<Certificate> nominal_for_certificate(const CertifyOptions& options);

/// Stores a certificate beside the model, or in the user's data folder where that cannot be written. With
/// `target` it can also be found by the certified ε that was asked for.
Result<StoredCertificate> store_certificate(const Certificate& certificate,
                                            const std::filesystem::path& model,
                                            std::optional<double> target = std::nullopt);

/// The stored certificate about `subject`, which must describe `mechanism` on `model`; none when there is
/// none or it is about something else. The loss of the pair that it names is computed again, from the
/// integers that the mechanism samples; where it differs, and for a damaged or old file, that is an error.
/// Opens one file, or two when there is none beside the model.
Result<std::optional<StoredCertificate>> find_certificate(const CertificateSubject& subject,
                                                          const Mechanism& mechanism, const Model& model);

/// What nominal_for_certificate found and store_certificate stored for the certified ε `target`; none when
/// there is none. `parameters` are complete. It says which nominal ε to build the mechanism with; what it
/// certifies counts only once find_certificate has checked it against that mechanism.
Result<std::optional<StoredCertificate>> find_targeted_certificate(std::string_view mechanism,
                                                                   const ParameterValues& parameters,
                                                                   double target, const Model& model);

struct TargetedCertificate {
  StoredCertificate stored;
  bool was_stored = false;  ///< false: it was computed and stored by this call
};

/// find_targeted_certificate, or else nominal_for_certificate and store_certificate.
Result<TargetedCertificate> certificate_for_target(const CertifyOptions& options);

}  // namespace sotto
