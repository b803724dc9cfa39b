// Names that options read and that completion offers. Most are the library's; here are those that only the
// command line has.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <sotto/attack.hpp>
#include <sotto/budget.hpp>
#include <sotto/collocations.hpp>
#include <sotto/policy.hpp>

namespace sotto::cli {

inline constexpr std::array<std::string_view, 2> kBitsNames = {"8", "16"};
/// Those that people have; iconv knows many more.
inline constexpr std::array<std::string_view, 6> kEncodingNames = {"utf-8",    "utf-16",  "utf-16le",
                                                                   "utf-16be", "latin-1", "windows-1252"};
inline constexpr std::array<std::string_view, 2> kPhraseOrderNames = {"pmi", "count"};
inline constexpr std::array<std::string_view, 2> kCorpusFormatNames = {"text", "jsonl"};
inline constexpr std::array<std::string_view, 2> kExportFormatNames = {"word2vec-text", "word2vec-bin"};
inline constexpr std::array<std::string_view, 3> kLedgerTableNames = {"entries", "accounts", "withheld"};
inline constexpr std::array<std::string_view, 2> kLedgerFormatNames = {"csv", "jsonl"};
inline constexpr std::array<std::string_view, 2> kAuditMethodNames = {"exact", "black-box"};
inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh", "fish"};

/// An attack on texts, besides the library's attacks on mechanisms.
inline constexpr std::string_view kMaskAttack = "mask";
inline constexpr std::array<std::string_view, 4> kAttackOptionNames = {kAttackNames[0], kAttackNames[1],
                                                                       kAttackNames[2], kMaskAttack};

/// The library's strategies, without the paper's names for them.
inline constexpr std::span<const std::string_view> kStrategyNames = std::span(kBudgetNames).first(4);

/// The library begins with "none", which only some commands offer, as the last.
inline constexpr std::array<std::string_view, 4> kMethodNames = {
    kSegmentationNames[1], kSegmentationNames[2], kSegmentationNames[3], kSegmentationNames[0]};
inline constexpr std::span<const std::string_view> kRealMethodNames = std::span(kMethodNames).first(3);

}  // namespace sotto::cli
