// A described receipt in the formats that people read.
#pragma once

#include <cstddef>
#include <string>

#include <sotto/receipt_description.hpp>

namespace sotto::cli {

/// For a terminal of this width.
std::string receipt_text(const ReceiptDescription& description, std::size_t width);

/// CommonMark in which nothing from the receipt has a meaning.
std::string receipt_markdown(const ReceiptDescription& description);

/// A page that needs nothing else and runs nothing.
std::string receipt_html(const ReceiptDescription& description);

}  // namespace sotto::cli
