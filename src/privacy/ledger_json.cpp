#include "privacy/ledger_json.hpp"

#include <charconv>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json.hpp"

namespace sotto {
using namespace privacy;
namespace {

using Json = nlohmann::ordered_json;

double epsilon_of(NanoEpsilon amount) {
  return static_cast<double>(amount) / 1e9;
}

/// A damaged ledger may hold any number; outside the years 1 to 9999 it stays a number.
std::string time_text(std::int64_t seconds) {
  if (seconds < -62'135'596'800 || seconds > 253'402'300'799) return fmt::format("{}", seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// The number of a record without an id; null if it is not a number.
Json number_of(const std::string& record) {
  std::int64_t number = 0;
  const char* end = record.data() + record.size();
  const auto [stop, error] = std::from_chars(record.data(), end, number);
  return error == std::errc() && stop == end ? Json(number) : Json();
}

using privacy::json_of;

Json json_of(const LedgerUnit& unit) {
  return {{"unit", unit.name},
          {"subjects", unit.subjects},
          {"documents", unit.documents},
          {"largest", epsilon_of(unit.largest)},
          {"mean", unit.mean}};
}

template <class Items>
Json all_json(const Items& items) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(json_of(item));
  return all;
}

}  // namespace

Json privacy::json_of(const LedgerAccount& account) {
  return {{"subject", account.subject},
          {"unit", account.unit},
          {"spent", epsilon_of(account.spent)},
          {"spent_nano", account.spent},
          {"documents", account.documents}};
}

Json privacy::json_of(const LedgerEntry& entry) {
  return {{"entry", entry.number},
          {"time", time_text(entry.time)},
          {"tag", entry.tag},
          {"mac", entry.mac},
          {"subject", entry.subject},
          {"unit", entry.unit},
          {"amount", epsilon_of(entry.amount)},
          {"amount_nano", entry.amount},
          {"hash", entry.hash}};
}

Json privacy::json_of(const WithheldRecord& record) {
  return {{"dataset", record.dataset},
          {"id", record.has_id ? Json(record.record) : Json()},
          {"record", record.has_id ? Json() : number_of(record.record)},
          {"subject", record.subject},
          {"unit", record.unit},
          {"wanted", epsilon_of(record.wanted)},
          {"spent", epsilon_of(record.spent)},
          {"limit", epsilon_of(record.limit)},
          {"time", time_text(record.time)}};
}

std::string to_json(const LedgerSummary& summary) {
  return base::json_text({{"id", summary.id},
                          {"entries", summary.entries},
                          {"head", summary.head},
                          {"withheld", summary.withheld},
                          {"units", all_json(summary.units)}});
}

std::string to_json(std::span<const LedgerAccount> accounts) {
  return base::json_text(all_json(accounts));
}

std::string to_json(std::span<const WithheldRecord> records) {
  return base::json_text(all_json(records));
}

std::string to_json(const LedgerCheck& check) {
  const bool sound = check.problem.empty();
  Json json = {{"sound", sound}, {"entries", check.entries}, {"head", check.head}};
  if (check.pinned_at) json["pinned_at"] = *check.pinned_at;
  if (!sound) json["problem"] = check.problem;
  if (check.bad_entry > 0) json["bad_entry"] = check.bad_entry;
  return base::json_text(json);
}

}  // namespace sotto
