// The hash chain of a ledger: each entry's hash covers the entry and the previous hash, so anyone who noted a
// hash can tell later whether anything before it was changed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sotto/ledger.hpp>

namespace sotto::privacy {

/// Identifies a document to anyone with the run's key. Created by DocumentStreams.
using DocumentTag = std::array<unsigned char, 16>;

/// Identifies a document by its name alone, whatever its text. Created by DocumentStreams.
using DocumentNameTag = std::array<unsigned char, 16>;

/// Identifies the output of a document. Created by output_mac().
using OutputMac = std::array<unsigned char, 16>;

using LedgerId = std::array<unsigned char, 16>;
using ChainHash = std::array<unsigned char, 32>;

/// What an entry's hash covers besides the previous hash.
struct ChainLink {
  std::uint64_t number = 0;
  DocumentTag tag{};
  std::optional<OutputMac> mac;  ///< none: an entry of version 1
  std::string_view subject;
  std::string_view unit;
  NanoEpsilon amount = 0;
  std::int64_t time = 0;
};

/// The hash before the first entry: BLAKE2b-256 of the id, personalized with "sotto-ledger-1".
ChainHash chain_start(const LedgerId& id);

/// BLAKE2b-256, personalized with "sotto-ledger-2", of
///   previous hash ‖ number ‖ tag ‖ MAC ‖ subject ‖ unit ‖ amount ‖ time
/// where numbers have 64 bits, little-endian, and subject and unit are preceded by their lengths. For an
/// entry of version 1 it is personalized with "sotto-ledger-1" and there is no MAC.
ChainHash chain_next(const ChainHash& before, const ChainLink& link);

}  // namespace sotto::privacy
