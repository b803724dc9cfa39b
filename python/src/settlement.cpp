#include "settlement.hpp"

#include <cstring>
#include <type_traits>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sotto/options_json.hpp>
#include <sotto/version.hpp>

#include "errors.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

static_assert(std::is_trivially_copyable_v<Counts>);

/// Names the build, because the layout of Counts is not stable.
std::string counts_header() {
  return std::string("sotto counts ") + library_version() + " " + std::to_string(sizeof(Counts)) + "\n";
}

std::string one_claim(const LedgerClaim& claim) {
  std::string json = to_json(std::span(&claim, 1));
  while (!json.empty() && json.back() == '\n') json.pop_back();
  return json;
}

/// An open ledger. Safe to use from several threads.
class LedgerBinding {
 public:
  LedgerBinding(const std::string& options, const std::string& unit) {
    const LedgerOptions read = take(ledger_options_from_json(options));
    auto opened = [&] {
      const nb::gil_scoped_release unlocked;  // it may wait for other processes
      return LedgerSession::open(read, unit);
    }();
    session_ = take(std::move(opened));
  }

  std::vector<bool> settle(const std::vector<std::string>& claims) {
    auto settled = [&]() -> Result<std::vector<Settled>> {
      const nb::gil_scoped_release unlocked;
      std::vector<LedgerClaim> all;
      for (const std::string& json : claims) {
        SOTTO_ASSIGN(std::vector<LedgerClaim> some, ledger_claims_from_json(json));
        std::move(some.begin(), some.end(), std::back_inserter(all));
      }
      if (all.size() != claims.size())
        return fail_parameter("claims", "", "each must be the JSON of one claim", Errc::bad_format);
      return session_->settle(all);
    }();
    std::vector<bool> released;
    for (const Settled record : take(std::move(settled))) released.push_back(record == Settled::released);
    return released;
  }

  nb::typed<nb::dict, nb::str, nb::any> receipt() const {
    const LedgerReceipt receipt = session_->receipt();
    nb::dict members;
    members["id"] = receipt.id;
    members["subject_field"] = receipt.subject_field;
    members["unit"] = receipt.unit;
    members["limit"] = receipt.limit;
    members["head"] = receipt.head;
    members["charged_documents"] = receipt.charged_documents;
    members["repeated_documents"] = receipt.repeated_documents;
    members["entries"] = receipt.entries;
    return nb::borrow<nb::typed<nb::dict, nb::str, nb::any>>(members);
  }

 private:
  std::unique_ptr<LedgerSession> session_;
};

}  // namespace

TextList UnsettledColumn::claims() const {
  nb::list list;
  for (const UnsettledRecord* const record : rows_.by_row)
    list.append(record == nullptr ? nb::object(nb::none()) : nb::cast(one_claim(record->claim)));
  return nb::borrow<TextList>(list);
}

CountsList UnsettledColumn::counts() const {
  nb::list list;
  for (const UnsettledRecord* const record : rows_.by_row)
    list.append(record == nullptr ? nb::object(nb::none()) : nb::object(counts_bytes(record->counts)));
  return nb::borrow<CountsList>(list);
}

TextChunks UnsettledColumn::release(const std::vector<bool>& released, TextLayout layout,
                                    const std::vector<std::size_t>& chunk_lengths) const {
  if (released.size() != rows_.by_row.size()) raise_value_error("released: give one bool for each row");
  TextChunks chunks(layout);
  std::size_t row = 0;
  for (const std::size_t length : chunk_lengths) {
    chunks.begin_chunk(length, 0);
    for (const std::size_t end = row + length; row < end; ++row) {
      const UnsettledRecord* const record = rows_.by_row[row];
      if (record != nullptr && released[row])
        chunks.add(record->texts.front());
      else
        chunks.add(std::nullopt);
    }
    chunks.end_chunk();
  }
  return chunks;
}

ArrowTextsResult UnsettledColumn::release_arrow(const std::vector<bool>& released) const {
  return {release(released, layout_, chunk_lengths_), name_};
}

TextList UnsettledColumn::release_list(const std::vector<bool>& released) const {
  return as_list(release(released, TextLayout::large_utf8, {rows_.by_row.size()}));
}

nb::bytes counts_bytes(const Counts& counts) {
  std::string text = counts_header();
  text.append(reinterpret_cast<const char*>(&counts), sizeof(counts));
  return nb::bytes(text.data(), text.size());
}

Counts counts_from_bytes(const nb::bytes& bytes) {
  const std::string header = counts_header();
  const std::string_view text(bytes.c_str(), bytes.size());
  if (text.size() != header.size() + sizeof(Counts) || !text.starts_with(header))
    raise_value_error("counts: made by another version of Sotto; workers and driver need the same one");
  Counts counts;
  std::memcpy(&counts, text.data() + header.size(), sizeof(counts));
  return counts;
}

LedgerReceipt ledger_receipt(const nb::dict& members) {
  return {.id = nb::cast<std::string>(members["id"]),
          .subject_field = nb::cast<std::string>(members["subject_field"]),
          .unit = nb::cast<std::string>(members["unit"]),
          .limit = nb::cast<double>(members["limit"]),
          .head = nb::cast<std::string>(members["head"]),
          .charged_documents = nb::cast<std::uint64_t>(members["charged_documents"]),
          .repeated_documents = nb::cast<std::uint64_t>(members["repeated_documents"]),
          .entries = nb::cast<std::uint64_t>(members["entries"])};
}

void define_settlement(nb::module_& module) {
  nb::class_<UnsettledColumn>(module, "UnsettledColumn")
      .def("claims", &UnsettledColumn::claims)
      .def("counts", &UnsettledColumn::counts)
      .def("release_arrow", &UnsettledColumn::release_arrow, nb::arg("released"))
      .def("release_list", &UnsettledColumn::release_list, nb::arg("released"));
  nb::class_<LedgerBinding>(module, "Ledger")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("options"), nb::arg("unit"))
      .def("settle", &LedgerBinding::settle, nb::arg("claims"))
      .def("receipt", &LedgerBinding::receipt);
  module.def(
      "add_counts",
      [](const std::vector<nb::bytes>& all, std::uint64_t withheld) {
        Counts sum;
        for (const nb::bytes& counts : all) sum += counts_from_bytes(counts);
        sum.withheld += withheld;
        return counts_bytes(sum);
      },
      nb::arg("counts"), nb::arg("withheld") = 0);
}

}  // namespace sotto::python
