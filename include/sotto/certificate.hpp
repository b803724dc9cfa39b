// Certificates: the largest privacy loss of a mechanism over all pairs of inputs and all outputs, computed
// from the integers that are sampled and rounded against us. A certificate is stored as JSON next to the
// model, found by its subject, and cited in receipts by its hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What a certificate is about. Two mechanisms that could sample different integers have different subjects.
struct CertificateSubject {
  std::string mechanism;
  ParameterValues parameters;  ///< complete
  double epsilon = 0;          ///< nominal: what the mechanism was built with
  std::string model_digest;    ///< Model::digest()
  std::string data_digest;     ///< Mechanism::data_digest()
  int stream_version = 0;      ///< of the samplers

  bool operator==(const CertificateSubject&) const = default;
};

/// Two inputs and the output that best distinguishes them. The ids are authoritative; the words, with "⊥" for
/// ⊥, are for people. All words are empty if a sample has no two inputs that differ.
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

/// ln(P(y|x)/P(y|x′)) <= epsilon·d(x, x′) for all inputs x, x′ in the scope, ⊥ included, and all outputs y.
struct Certificate {
  CertificateSubject subject;
  std::string model;  ///< name, for people
  PrivacyUnit unit;
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  std::string method;   ///< what was computed, in words
  double epsilon = 0;   ///< certified: an upper bound, rounded up
  double attained = 0;  ///< `worst` has at least this loss per unit of distance, rounded down
  CertifiedPair worst;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t pairs = 0;         ///< unordered pairs of inputs that the bound covers
  std::uint64_t exact_pairs = 0;   ///< of these, evaluated exactly over all outputs
  std::uint64_t equal_inputs = 0;  ///< inputs at distance 0 from an earlier one, with equal rows as checked
  std::uint64_t sample = 0;        ///< above 0: only this many inputs were examined, so it is no certificate
  double seconds = 0;
};

/// As JSON (docs/schemas/certificate.schema.json), ending in a newline. It contains its own checksum.
/// Thread-safe.
SOTTO_API std::string to_json(const Certificate& certificate);

/// The inverse of to_json. Refuses JSON that is incomplete, altered, of another version or only a sample, and
/// a certified or attained ε that is not above 0. Thread-safe.
SOTTO_API Result<Certificate> parse_certificate(std::string_view json);

/// A certificate read from or written to a file.
struct StoredCertificate {
  Certificate certificate;
  std::filesystem::path file;
  std::string sha256;  ///< of the file, in hex
};

/// The certificate and where it is stored, as JSON (docs/schemas/exact_audit.schema.json), ending in a
/// newline. `was_stored`: it was found there, not computed. Thread-safe.
SOTTO_API std::string to_json(const StoredCertificate& stored, bool was_stored);

inline constexpr std::uint64_t kLargestSample = 1'000'000'000;

/// Options of certify().
struct CertifyOptions {
  /// Its ε is nominal; for nominal_for_certificate, the largest certified ε allowed.
  MechanismSpec mechanism;
  /// Examine only this many inputs, at least 2, evenly spaced; 0: all.
  std::uint64_t sample = 0;
  ProgressCallback progress;
};

/// Computes a certificate. Refuses, with the reason, a mechanism that has none and one whose inputs cannot be
/// told apart: a certificate names the pair that attains it. Thread-safe unless another thread changes the
/// environment.
SOTTO_API Result<Certificate> certify(const CertifyOptions& options);

/// Same for an open mechanism; ignores `options.mechanism`. Thread-safe.
SOTTO_API Result<Certificate> certify(const OpenMechanism& open, const CertifyOptions& options = {});

/// The certificate of the largest nominal ε found whose certificate is at most options.mechanism.epsilon, to
/// about one part in a thousand. It assumes nothing about how the certificate depends on ε: the returned
/// certificate was computed for its own nominal ε. Thread-safe unless another thread changes the environment.
SOTTO_API Result<Certificate> nominal_for_certificate(const CertifyOptions& options);

/// Stores a certificate next to the model or, if that folder is not writable, in the user's data folder. With
/// `target` it can also be found by the certified ε that was requested. Thread-safe unless another thread
/// changes the environment.
SOTTO_API Result<StoredCertificate> store_certificate(const Certificate& certificate,
                                                      const std::filesystem::path& model,
                                                      std::optional<double> target = std::nullopt);

/// The stored certificate about `subject`, which must describe `mechanism` on `model`; none if there is none
/// or it is about something else. Recomputes the loss of the pair that it names from the integers that the
/// mechanism samples; a difference is an error, and so is a damaged or outdated file. Opens one file, or two
/// if there is none next to the model. Thread-safe unless another thread changes the environment.
SOTTO_API Result<std::optional<StoredCertificate>> find_certificate(const CertificateSubject& subject,
                                                                    const Mechanism& mechanism,
                                                                    const Model& model);

/// What nominal_for_certificate found and store_certificate stored for the certified ε `target`; none if
/// there is none. `parameters` must be complete. It gives the nominal ε to build the mechanism with; what it
/// certifies is valid only after find_certificate has checked it against that mechanism. Thread-safe unless
/// another thread changes the environment.
SOTTO_API Result<std::optional<StoredCertificate>> find_targeted_certificate(
    std::string_view mechanism, const ParameterValues& parameters, double target, const Model& model);

struct TargetedCertificate {
  StoredCertificate stored;
  bool was_stored = false;  ///< false: this call computed and stored it
};

/// find_targeted_certificate or, failing that, nominal_for_certificate and store_certificate. Thread-safe
/// unless another thread changes the environment.
SOTTO_API Result<TargetedCertificate> certificate_for_target(const CertifyOptions& options);

}  // namespace sotto
