// A receipt for people: one page for those who must answer for a release.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// A heading with sentences below it. Text is plain, on one line each, without control characters: a front
/// end only has to escape what its own format gives a meaning.
struct DescribedSection {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::string> items;  ///< a list below the paragraphs
};

struct ReceiptDescription {
  std::string title;
  bool promises = false;                ///< whether there is a guarantee
  std::string promise;                  ///< in one plain sentence
  std::vector<std::string> examples;    ///< what it means in practice; empty if there is none
  std::optional<std::string> attacker;  ///< how often an attacker succeeded at this setting, if known
  std::vector<DescribedSection> sections;
};

/// Describes a receipt as to_json(Receipt) writes it. Refuses what is not a receipt, is incomplete, comes
/// from a later version, or contradicts itself, for example promises something although the noise was public.
/// A receipt is not signed: that it is sound does not mean that it is true. Thread-safe.
SOTTO_API Result<ReceiptDescription> describe_receipt(std::string_view json);

/// Same for a file; errors name it. Thread-safe.
SOTTO_API Result<ReceiptDescription> describe_receipt_file(const std::filesystem::path& file);

/// Writes a front end's page about a receipt, whole or not at all. Refuses to overwrite the receipt.
/// Thread-safe.
SOTTO_API Result<void> write_receipt_page(std::string_view page, const std::filesystem::path& receipt,
                                          const std::filesystem::path& output);

/// As JSON (docs/schemas/receipt_description.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const ReceiptDescription& description);

}  // namespace sotto
