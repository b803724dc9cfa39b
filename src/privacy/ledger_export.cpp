#include <sotto/ledger.hpp>

#include "base/json.hpp"
#include "privacy/ledger_json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;
using Writer = std::function<Result<void>(std::string_view)>;

/// Writes rows as CSV or as JSON lines, in blocks.
class RowWriter {
 public:
  RowWriter(RowFormat format, const Writer& write) : format_(format), write_(write) {}

  Result<void> add(const Json& row) {
    if (format_ == RowFormat::csv && first_) text_ += csv_line(row, true);
    first_ = false;
    text_ += format_ == RowFormat::csv ? csv_line(row, false) : base::json_line(row);
    return text_.size() < kBlock ? Result<void>() : flush();
  }

  Result<void> flush() {
    Result<void> done = write_(text_);
    text_.clear();
    return done;
  }

 private:
  static constexpr std::size_t kBlock = 1 << 16;

  static std::string csv_line(const Json& row, bool header) {
    std::string text;
    for (const auto& [key, value] : row.items()) {
      if (!text.empty()) text += ',';
      const std::string plain = value.is_null()     ? ""
                                : value.is_string() ? value.get<std::string>()
                                                    : value.dump();
      text += quoted(header ? key : plain);
    }
    return text + "\n";
  }

  static std::string quoted(const std::string& value) {
    if (value.find_first_of("\",\r\n") == std::string::npos) return value;
    std::string text = "\"";
    for (const char byte : value) text += byte == '"' ? std::string("\"\"") : std::string(1, byte);
    return text + "\"";
  }

  RowFormat format_;
  const Writer& write_;
  bool first_ = true;
  std::string text_;
};

}  // namespace

Result<void> export_ledger(Ledger& ledger, LedgerTable table, RowFormat format, const Writer& write) {
  RowWriter rows(format, write);
  const auto add = [&](const auto& item) { return rows.add(json_of(item)); };
  if (table == LedgerTable::entries) SOTTO_TRY(ledger.each_entry(add));
  if (table == LedgerTable::accounts) SOTTO_TRY(ledger.each_account(add));
  if (table == LedgerTable::withheld) SOTTO_TRY(ledger.each_withheld(add));
  return rows.flush();
}

}  // namespace sotto
