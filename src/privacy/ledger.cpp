// Reading a ledger.

#include <fmt/format.h>

#include <sotto/ledger.hpp>

#include "base/checked_value.hpp"
#include "base/hash.hpp"
#include "privacy/ledger_file.hpp"
#include "privacy/ledger_schema.hpp"
#include "privacy/ledger_verify.hpp"
#include "privacy/sqlite.hpp"

namespace sotto {
using namespace privacy;
namespace {

constexpr double kWaitSeconds = 5;  // a reader only ever waits for the creation of a ledger

LedgerAccount account_of(const Statement& row) {
  return {std::string(row.text(0)), std::string(row.text(1)), row.integer(2),
          static_cast<std::uint64_t>(row.integer(3))};
}

constexpr std::string_view kAccounts =
    "SELECT subject, name, spent, documents FROM accounts JOIN units USING(unit) ";

std::string hex_of(const Statement& row, int column) {
  const std::string_view bytes = row.text(column);
  return base::to_hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

Result<std::string> checked_head(std::string_view head) {
  std::string lower(head);
  for (char& digit : lower)
    if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit + ('a' - 'A'));
  if (!lower.empty() && (lower.size() != 2 * std::tuple_size_v<ChainHash> ||
                         lower.find_first_not_of("0123456789abcdef") != std::string::npos))
    return base::not_allowed("head", head, "the 64 hexadecimal digits of a head");
  return lower;
}

}  // namespace

struct Ledger::Impl {
  Database database;
  int version = 0;

  /// Calls `body` inside one read transaction, so that it sees a consistent snapshot.
  template <class Body>
  auto at_one_moment(Body body) -> decltype(body()) {
    SOTTO_TRY(database.execute("BEGIN"));
    auto result = body();
    (void)database.execute("ROLLBACK");  // nothing was written
    return result;
  }

  /// Calls `take` for each row of a query with bound parameters.
  template <class Take>
  static Result<void> each_row(Statement query, Take take) {
    for (;;) {
      SOTTO_ASSIGN(const bool row, query.step());
      if (!row) return {};
      SOTTO_TRY(take(query));
    }
  }

  Result<std::vector<LedgerUnit>> units() {
    std::vector<LedgerUnit> all;
    SOTTO_ASSIGN(Statement query,
                 database.prepare("SELECT name, COUNT(*), SUM(documents), MAX(spent), AVG(spent) "
                                  "FROM accounts JOIN units USING(unit) GROUP BY unit ORDER BY name"));
    SOTTO_TRY(each_row(std::move(query), [&](const Statement& row) -> Result<void> {
      all.push_back({std::string(row.text(0)), static_cast<std::uint64_t>(row.integer(1)),
                     static_cast<std::uint64_t>(row.integer(2)), row.integer(3), row.real(4) * 1e-9});
      return {};
    }));
    return all;
  }
};

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::~Ledger() = default;

Result<std::unique_ptr<Ledger>> Ledger::open(const std::filesystem::path& file) {
  auto impl = std::make_unique<Impl>();
  SOTTO_ASSIGN(const std::filesystem::path found, find_ledger(file, false));
  SOTTO_ASSIGN(impl->database, Database::open(found, Database::Access::read, kWaitSeconds));
  SOTTO_ASSIGN(impl->version, check_is_ledger(impl->database));
  return std::unique_ptr<Ledger>(new Ledger(std::move(impl)));
}

Result<LedgerSummary> Ledger::summary() {
  return impl_->at_one_moment([&]() -> Result<LedgerSummary> {
    SOTTO_ASSIGN(const LedgerState state, read_state(impl_->database));
    LedgerSummary summary{base::to_hex(state.id), state.entries, base::to_hex(state.head), 0, {}};
    SOTTO_ASSIGN(const std::int64_t withheld, impl_->database.integer("SELECT COUNT(*) FROM withheld"));
    summary.withheld = static_cast<std::uint64_t>(withheld);
    SOTTO_ASSIGN(summary.units, impl_->units());
    return summary;
  });
}

Result<std::vector<LedgerAccount>> Ledger::accounts_of(std::string_view subject) {
  std::vector<LedgerAccount> accounts;
  SOTTO_ASSIGN(Statement query,
               impl_->database.prepare(fmt::format("{} WHERE subject = ? ORDER BY name", kAccounts)));
  query.bind(1, subject);
  SOTTO_TRY(Impl::each_row(std::move(query), [&](const Statement& row) -> Result<void> {
    accounts.push_back(account_of(row));
    return {};
  }));
  return accounts;
}

Result<std::vector<LedgerAccount>> Ledger::top(std::uint64_t count) {
  return impl_->at_one_moment([&]() -> Result<std::vector<LedgerAccount>> {
    std::vector<LedgerAccount> accounts;
    SOTTO_ASSIGN(const std::vector<LedgerUnit> units, impl_->units());
    for (const LedgerUnit& unit : units) {
      SOTTO_ASSIGN(Statement query,
                   impl_->database.prepare(
                       fmt::format("{} WHERE name = ? ORDER BY spent DESC, subject LIMIT ?", kAccounts)));
      query.bind(1, std::string_view(unit.name)).bind(2, static_cast<std::int64_t>(count));
      SOTTO_TRY(Impl::each_row(std::move(query), [&](const Statement& row) -> Result<void> {
        accounts.push_back(account_of(row));
        return {};
      }));
    }
    return accounts;
  });
}

Result<void> Ledger::each_entry(const Visitor<LedgerEntry>& visit) {
  SOTTO_ASSIGN(Statement query, impl_->database.prepare(fmt::format(
                                    "SELECT entry, tag, {}, subject, name, amount, time, hash FROM entries "
                                    "JOIN accounts USING(account) JOIN units USING(unit) ORDER BY entry",
                                    mac_column(impl_->version))));
  return Impl::each_row(std::move(query), [&](const Statement& row) {
    return visit({static_cast<std::uint64_t>(row.integer(0)), hex_of(row, 1), hex_of(row, 2),
                  std::string(row.text(3)), std::string(row.text(4)), row.integer(5), row.integer(6),
                  hex_of(row, 7)});
  });
}

Result<void> Ledger::each_account(const Visitor<LedgerAccount>& visit) {
  SOTTO_ASSIGN(Statement query, impl_->database.prepare(fmt::format("{} ORDER BY subject, name", kAccounts)));
  return Impl::each_row(std::move(query), [&](const Statement& row) { return visit(account_of(row)); });
}

Result<void> Ledger::each_withheld(const Visitor<WithheldRecord>& visit) {
  SOTTO_ASSIGN(Statement query, impl_->database.prepare(
                                    "SELECT dataset, record, subject, name, wanted, spent, allowed, time "
                                    "FROM withheld JOIN units USING(unit) ORDER BY dataset, record, name"));
  return Impl::each_row(std::move(query), [&](const Statement& row) {
    const bool has_id = !row.is_integer(1);  // checked before text() converts a number to text
    return visit({std::string(row.text(0)), std::string(row.text(1)), has_id, std::string(row.text(2)),
                  std::string(row.text(3)), row.integer(4), row.integer(5), row.integer(6), row.integer(7)});
  });
}

Result<LedgerCheck> Ledger::verify(std::string_view head) {
  SOTTO_ASSIGN(const std::string pinned, checked_head(head));
  return impl_->at_one_moment([&] { return verify_ledger(impl_->database, impl_->version, pinned); });
}

}  // namespace sotto
