#include "privatizer.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <sotto/options_json.hpp>

#include "column_rewriter.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

// Texts this short are rewritten before anyone could wish to interrupt it.
constexpr std::size_t kShortText = 1U << 16;
constexpr std::size_t kShortTextOfLanguageModel = 1U << 10;

void check_length(const TextColumn& names, const TextColumn& texts, std::string_view what) {
  if (names.size() == texts.size()) return;
  raise_value_error(fmt::format("{} has {} values, texts has {}; give one for each text", what, names.size(),
                                texts.size()));
}

/// A producer of Arrow arrays may break its promise that texts are UTF-8.
void check_utf8(const Counts& counts) {
  if (counts.statistics.invalid_utf8 > 0)
    raise_value_error(fmt::format("texts: {} sequences are not UTF-8", counts.statistics.invalid_utf8));
}

/// A withheld record has no text to return.
[[noreturn]] void raise_withheld() {
  raise(Error{
      Errc::limit, "limit", "", "the subject's limit does not allow this text; nothing was charged", {}});
}

}  // namespace

PrivatizerBinding::PrivatizerBinding(const std::string& options_json, std::optional<nb::bytes> key,
                                     std::string dataset, std::string field, unsigned threads,
                                     const std::string& ledger)
    : dataset_(std::move(dataset)),
      field_(std::move(field)),
      threads_(threads),
      stopping_(std::make_shared<std::atomic<int>>(0)) {
  PrivatizeOptions options = take(privatize_options_from_json(options_json));
  if (key) options.key = take(SecretKey::make({key->c_str(), key->size()}));
  options.mechanism.resources.threads = threads;
  options.language.threads = threads;
  options.language.go_on = [stopping = stopping_] { return *stopping == 0; };
  has_language_model_ = take(find_mechanism(options.mechanism.name))->kind != MechanismKind::word_by_word;
  const auto make = [options] { return Privatizer::make(options); };
  privatizer_ =
      take(run_interruptibly(std::make_shared<CallState>(), nb::none(), make, Unstoppable::abandon));
  if (!ledger.empty()) open_ledger(take(ledger_options_from_json(ledger)));
}

void PrivatizerBinding::open_ledger(const LedgerOptions& options) {
  // It may wait for other processes.
  const auto open = [privatizer = privatizer_, options] { return privatizer->open_ledger(options); };
  ledger_ = take(run_interruptibly(std::make_shared<CallState>(), nb::none(), open, Unstoppable::abandon));
}

bool PrivatizerBinding::is_short(std::string_view text) const {
  return text.size() <= (has_language_model_ ? kShortTextOfLanguageModel : kShortText);
}

void PrivatizerBinding::add(const Counts& counts) {
  const std::lock_guard lock(mutex_);
  counts_ += counts;
}

nb::str PrivatizerBinding::privatize_text(const nb::str& object, std::optional<std::string> id,
                                          std::optional<std::string> subject) {
  const std::string_view text = utf8(object, "texts");
  if (!is_short(text) || ledger_ != nullptr || subject) {
    nb::list texts, ids, subjects;
    texts.append(object);
    if (id) ids.append(*id);
    if (subject) subjects.append(*subject);
    const TextList outputs = privatize_list(texts, id ? nb::object(ids) : nb::none(),
                                            subject ? nb::object(subjects) : nb::none(), nb::none());
    if (outputs[0].is_none()) raise_withheld();
    return nb::str(nb::object(outputs[0]));
  }
  DocumentName name{dataset_, {}, field_};
  if (id)
    name.id = *id;
  else
    name.record = next_record_++;
  Counts counts;
  const RunningCall running;
  Result<std::string> output = [&] {
    const nb::gil_scoped_release unlocked;
    return privatizer_->privatize(name, text, counts);
  }();
  const std::string rewritten = take(std::move(output));
  add(counts);
  return nb::str(rewritten.data(), rewritten.size());
}

ColumnNames PrivatizerBinding::read_column_names(const TextColumn& texts, nb::handle ids,
                                                 nb::handle subjects) const {
  ColumnNames names;
  if (!ids.is_none()) {
    names.ids = read_names(ids, "ids");
    check_length(*names.ids, texts, "ids");
  }
  if (!subjects.is_none()) {
    names.subjects = read_names(subjects, "subjects");
    check_length(*names.subjects, texts, "subjects");
  }
  if (ledger_ != nullptr && names.ids == nullptr)
    raise_value_error(
        "ids: missing; with a ledger, give one for each text: a text is charged once under its id");
  if (ledger_ != nullptr && names.subjects == nullptr)
    raise_value_error("subjects: missing; with a ledger, say for each text whose account is charged");
  if (ledger_ == nullptr && names.subjects != nullptr)
    raise_value_error(
        "subjects: not allowed without a ledger; give the Privatizer ledger, subject and limit");
  return names;
}

ColumnJob PrivatizerBinding::job(const TextColumn& texts, const ColumnNames& names) const {
  return {.privatizer = *privatizer_,
          .ledger = ledger_.get(),
          .dataset = dataset_,
          .field = field_,
          .threads = threads_,
          .texts = texts,
          .ids = names.ids.get(),
          .subjects = names.subjects.get(),
          .chunk_lengths = {texts.size()}};
}

TextChunks PrivatizerBinding::rewrite_and_charge(const TextColumn& texts, const ColumnNames& names,
                                                 TextLayout layout,
                                                 const std::vector<std::size_t>& chunk_lengths,
                                                 nb::handle progress, Counts& counts) {
  ColumnJob column = job(texts, names);
  if (!names.ids) column.first_record = next_record_.fetch_add(texts.size());
  column.layout = layout;
  column.chunk_lengths = chunk_lengths;
  const auto state = std::make_shared<CallState>();
  state->stopping = stopping_;
  Result<TextChunks> chunks =
      run_interruptibly(state, progress, [&] { return rewrite_column(column, state, counts); });
  add(counts);  // a failed batch may have charged some
  check_utf8(counts);
  return take(std::move(chunks));
}

UnsettledColumn PrivatizerBinding::rewrite(nb::handle texts, nb::handle ids, nb::handle subjects,
                                           nb::handle progress) {
  ArrowTexts arrow;
  if (exports_arrow(texts)) {
    arrow = read_arrow(texts, "texts");
  } else {
    arrow.column = read_list(texts, "texts");
    arrow.chunk_lengths = {arrow.column->size()};
  }
  ColumnNames names;
  names.ids = read_names(ids, "ids");
  names.subjects = read_names(subjects, "subjects");
  check_length(*names.ids, *arrow.column, "ids");
  check_length(*names.subjects, *arrow.column, "subjects");
  const ColumnJob column = job(*arrow.column, names);
  const auto state = std::make_shared<CallState>();
  state->stopping = stopping_;
  UnsettledRows rows =
      take(run_interruptibly(state, progress, [&] { return rewrite_unsettled(column, state); }));
  for (const UnsettledRecord& record : rows.records) check_utf8(record.counts);
  return {std::move(rows), arrow.layout, std::move(arrow.chunk_lengths), std::move(arrow.name)};
}

void PrivatizerBinding::add_released(const nb::bytes& bytes, std::uint64_t withheld) {
  Counts counts = counts_from_bytes(bytes);
  counts.withheld += withheld;
  add(counts);
}

TextList PrivatizerBinding::privatize_list(nb::handle texts, nb::handle ids, nb::handle subjects,
                                           nb::handle progress) {
  const auto column = read_list(texts, "texts");
  const ColumnNames names = read_column_names(*column, ids, subjects);
  Counts counts;
  const TextChunks chunks =
      rewrite_and_charge(*column, names, TextLayout::large_utf8, {column->size()}, progress, counts);
  return as_list(chunks);
}

ArrowTextsResult PrivatizerBinding::privatize_arrow(nb::handle texts, nb::handle ids, nb::handle subjects,
                                                    nb::handle progress) {
  ArrowTexts arrow = read_arrow(texts, "texts");
  const ColumnNames names = read_column_names(*arrow.column, ids, subjects);
  Counts counts;
  return {rewrite_and_charge(*arrow.column, names, arrow.layout, arrow.chunk_lengths, progress, counts),
          std::move(arrow.name)};
}

nb::typed<nb::tuple, ArrowTextsResult, nb::bytes> PrivatizerBinding::privatize_counted(nb::handle texts,
                                                                                       nb::handle ids) {
  ArrowTexts arrow = read_arrow(texts, "texts");
  const ColumnNames names = read_column_names(*arrow.column, ids, nb::none());
  Counts counts;
  TextChunks chunks =
      rewrite_and_charge(*arrow.column, names, arrow.layout, arrow.chunk_lengths, nb::none(), counts);
  return nb::borrow<nb::typed<nb::tuple, ArrowTextsResult, nb::bytes>>(
      nb::make_tuple(ArrowTextsResult(std::move(chunks), std::move(arrow.name)), counts_bytes(counts)));
}

Receipt PrivatizerBinding::receipt() const {
  const std::lock_guard lock(mutex_);
  Receipt receipt = privatizer_->receipt(counts_);
  receipt.dataset = dataset_;
  if (!field_.empty()) receipt.fields = {field_};
  if (ledger_ != nullptr) receipt.ledger = ledger_->receipt();
  return receipt;
}

std::string PrivatizerBinding::receipt_json(nb::handle ledger) const {
  Receipt whole = receipt();
  if (!ledger.is_none()) whole.ledger = ledger_receipt(nb::cast<nb::dict>(ledger));
  return to_json(whole);
}

std::string PrivatizerBinding::statistics_json() const {
  return sotto::statistics_json(receipt());
}

void define_privatizer(nb::module_& module) {
  nb::class_<ArrowTextsResult>(
      module, "ArrowTexts",
      "Rewritten texts that any library reads without copying them (Arrow PyCapsule protocol).")
      .def("__arrow_c_schema__", &ArrowTextsResult::schema)
      .def(
          "__arrow_c_array__", [](const ArrowTextsResult& self, nb::handle) { return self.array(); },
          nb::arg("requested_schema") = nb::none())
      .def(
          "__arrow_c_stream__", [](const ArrowTextsResult& self, nb::handle) { return self.stream(); },
          nb::arg("requested_schema") = nb::none());
  nb::class_<PrivatizerBinding>(module, "Privatizer")
      .def(nb::init<const std::string&, std::optional<nb::bytes>, std::string, std::string, unsigned,
                    const std::string&>(),
           nb::arg("options"), nb::arg("key").none(), nb::arg("dataset"), nb::arg("field"),
           nb::arg("threads"), nb::arg("ledger"))
      .def("privatize_text", &PrivatizerBinding::privatize_text, nb::arg("text"), nb::arg("id").none(),
           nb::arg("subject").none())
      .def("privatize_list", &PrivatizerBinding::privatize_list, nb::arg("texts"), nb::arg("ids").none(),
           nb::arg("subjects").none(), nb::arg("progress").none())
      .def("privatize_arrow", &PrivatizerBinding::privatize_arrow, nb::arg("texts"), nb::arg("ids").none(),
           nb::arg("subjects").none(), nb::arg("progress").none())
      .def("privatize_counted", &PrivatizerBinding::privatize_counted, nb::arg("texts"), nb::arg("ids"))
      .def("rewrite", &PrivatizerBinding::rewrite, nb::arg("texts"), nb::arg("ids"), nb::arg("subjects"),
           nb::arg("progress").none())
      .def("add_released", &PrivatizerBinding::add_released, nb::arg("counts"), nb::arg("withheld"))
      .def("receipt_json", &PrivatizerBinding::receipt_json, nb::arg("ledger") = nb::none())
      .def("statistics_json", &PrivatizerBinding::statistics_json);
}

}  // namespace sotto::python
