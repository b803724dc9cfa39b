// Receipts for people: whatever is accepted as one is described without control characters, within a page.
// What is merged, alone or with itself, is a receipt again.
#include <sotto/receipt_description.hpp>
#include <sotto/receipt_merge.hpp>
#include <sotto/terminal_text.hpp>
#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

void check_text(std::string_view text) {
  require(is_valid_utf8(text) && visible_text(text) == text, "a description has only visible text");
}

void check_merge(const std::string& text) {
  const auto alone = merge_receipts(std::span(&text, 1));
  if (!alone) {
    require(describe(alone.error()).find('\n') == std::string::npos, "a refusal has one line");
    return;
  }
  require(merge_receipts(std::span(&*alone, 1)) == *alone, "a receipt merged alone stays as it is");
  const std::string both[] = {*alone, *alone};
  if (const auto merged = merge_receipts(both))
    require(merge_receipts(std::span(&*merged, 1)) == *merged, "what is merged is a receipt");
}

}  // namespace

SOTTO_FUZZ_TARGET(receipt) {
  check_merge(std::string(input));
  const auto description = describe_receipt(input);
  if (!description) {
    require(describe(description.error()).find('\n') == std::string::npos, "a refusal has one line");
    return;
  }
  require(description->promises || description->examples.empty(), "no example without a promise");
  check_text(description->title);
  check_text(description->promise);
  for (const std::string& example : description->examples) check_text(example);
  require(!description->sections.empty(), "there are sections");
  for (const DescribedSection& section : description->sections) {
    for (const std::string& paragraph : section.paragraphs) check_text(paragraph);
    for (const std::string& item : section.items) check_text(item);
    require(section.items.size() < 1000, "a list fits on a page");
  }
}
