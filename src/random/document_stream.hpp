// The key of a document's noise. Noise is a function of (key, document, configuration): it does not depend on
// threads, batches, shards or retries, and no stream is used for two different texts.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <sodium.h>

#include "base/hash.hpp"
#include "random/bit_sources.hpp"

namespace sotto::random {

/// Must be raised by any change to the words of a stream or to how a sampler uses them: the same key then
/// gives different output, and a re-run is a new spend.
inline constexpr int kStreamVersion = 3;

/// The mechanism, its parameters, ε, the model's digest, policy and so on, in a form that two processes agree
/// on to the byte. Two configurations that could give different output must not serialize identically.
class CanonicalConfiguration {
 public:
  /// Each key is added once. Numbers must be double or an unsigned integer: other types do not compile, so
  /// that changing a variable's type cannot silently change the serialization.
  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, std::same_as<double> auto value) { add_double(key, value); }
  void add(std::string_view key,
           std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>) {
    add_integer(key, value);
  }

  /// "sotto-configuration-1\n", then for each entry, sorted by the bytes of its key,
  /// "<key length>:<key>=<value length>:<value>\n". A double is written exactly, in hexadecimal (0x1.8p+1),
  /// an integer in decimal.
  std::string serialize() const;

  /// SHA-256 of serialize().
  base::Sha256Digest digest() const;

 private:
  void add_double(std::string_view key, double value);
  void add_integer(std::string_view key, std::uint64_t value);

  std::map<std::string, std::string, std::less<>> entries_;
};

/// A document is identified by its id if it has one, otherwise by its record number in the input.
struct DocumentId {
  std::optional<std::string_view> id;
  std::uint64_t record = 0;
};

/// What a second document with the same id, field and text gets.
enum class Repeats {
  same_noise,   ///< so that a re-run, in any order, repeats the output
  fresh_noise,  ///< the record number is added to the id, so that no two documents share noise
};

/// Stream keys of the documents of one run. Immutable, so safe to share between threads.
///
/// A stream key is BLAKE2b-256, keyed by the run's key, of
///   "sotto-stream-3" ‖ data set ‖ id ‖ field ‖ text ‖ configuration
/// where each part after the first is its length (64 bits, little-endian) and its bytes; the id is 'r' and
/// the record number (64 bits, little-endian), 's' and the string or, if repeats get fresh noise, 'n', the
/// record number and the string; and the configuration enters as its SHA-256, so that a short document costs
/// few compressions. The lengths keep a byte from moving across a boundary unnoticed: ("ab", "c") and
/// ("a", "bc") have different keys.
class DocumentStreams {
 public:
  DocumentStreams(const Key& key, std::string_view dataset, const base::Sha256Digest& configuration,
                  Repeats repeats = Repeats::same_noise);
  ~DocumentStreams();
  DocumentStreams(const DocumentStreams&) = default;
  DocumentStreams& operator=(const DocumentStreams&) = default;

  /// How a ledger that refuses repeats knows a document: BLAKE2b-128, keyed by the run's key and personalized
  /// with "sotto-name-1", of data set, id and field, each part as above. It depends neither on the text nor
  /// on the configuration nor on `repeats`: another text under the same name is a guess at the first one,
  /// also with another mechanism. Reveals nothing without the run's key.
  std::array<unsigned char, 16> name_tag(const DocumentId& document, std::string_view field) const;

  /// The key of the stream for one text field of one document; `field` is empty if there are no fields. The
  /// key is a keyed hash of the text and must not leave the process.
  Key stream_key(const DocumentId& document, std::string_view field, std::string_view text) const;

 private:
  crypto_generichash_blake2b_state prefix_;       ///< after key, version and data set
  crypto_generichash_blake2b_state name_prefix_;  ///< after key and data set
  base::Sha256Digest configuration_;
  Repeats repeats_;
};

/// How a ledger identifies a document: BLAKE2b-128, keyed by the document's stream key and personalized with
/// "sotto-tag-1", of the subject. Without the run's key it reveals nothing about the text or the noise; with
/// the key it identifies this text of this document, of this subject, under this configuration.
std::array<unsigned char, 16> document_tag(const Key& stream_key, std::string_view subject);

}  // namespace sotto::random
