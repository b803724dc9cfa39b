#include <optional>
#include <string>

#include <sotto/options_json.hpp>

#include "pipeline/options_parts.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using base::OptionsReader;

void add_ledger(OptionsReader& reader, LedgerOptions& ledger) {
  reader.path("file", ledger.file);
  reader.text("subject_field", ledger.subject_field);
  reader.number("limit", ledger.limit);
  reader.number("wait_seconds", ledger.wait_seconds);
  reader.flag("refuse_repeats", ledger.refuse_repeats);
}

void add_outputs(OptionsReader& reader, FileOptions& files) {
  reader.path("output", files.output);
  reader.path("report", files.report);
  reader.path("statistics", files.statistics);
  reader.text("output_encoding", files.output_encoding);
}

}  // namespace

Result<FileOptions> file_options_from_json(std::string_view json) {
  FileOptions files;
  OptionsReader reader;
  add_records(reader, files);
  add_outputs(reader, files);
  reader.text("dataset", files.dataset);
  reader.text("id_field", files.id_field);
  add_threads(reader, files.threads);
  reader.named("shard", files.shard, parse_shard);
  reader.member("ledger", [&](const std::string& name, const OptionsReader::Json& value) {
    OptionsReader of_ledger;
    add_ledger(of_ledger, files.ledger.emplace());
    return of_ledger.read(name, value);
  });
  reader.flag("resume", files.resume);
  reader.flag("allow_empty", files.allow_empty);
  SOTTO_TRY(reader.read(json));
  return files;
}

Result<LedgerOptions> ledger_options_from_json(std::string_view json) {
  LedgerOptions ledger;
  OptionsReader reader;
  add_ledger(reader, ledger);
  SOTTO_TRY(reader.read(json));
  return ledger;
}

}  // namespace sotto
