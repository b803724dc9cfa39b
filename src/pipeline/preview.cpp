#include <sotto/preview.hpp>

#include "pipeline/first_documents.hpp"

namespace sotto {
using namespace pipeline;
namespace {

/// Without anything that would tie the noise to a run's.
PrivatizeOptions with_throwaway_key(PrivatizeOptions options, const FileOptions& files) {
  options.key_file.reset();
  options.key.reset();
  options.seed.reset();
  options.unique_ids = false;
  if (options.language.threads == 0) options.language.threads = files.threads;
  return options;
}

/// Without anything that is written.
FileOptions only_reading(FileOptions files) {
  files.output.reset();
  files.report.reset();
  files.statistics.reset();
  files.ledger.reset();
  files.resume = false;
  return files;
}

}  // namespace

Result<Preview> preview_files(const PrivatizeOptions& options, const FileOptions& files, std::uint64_t most) {
  SOTTO_ASSIGN(const auto privatizer, Privatizer::make(with_throwaway_key(options, files)));
  const FileOptions reading = only_reading(files);
  SOTTO_ASSIGN(std::vector<FoundDocument> found, first_documents(*privatizer, reading, most));
  std::vector<Document> documents;
  for (const FoundDocument& document : found)
    documents.push_back({{document.input, "", document.field}, document.text});
  std::vector<std::string> outputs(found.size());
  Counts counts;
  SOTTO_TRY(privatizer->privatize(documents, outputs, counts, {files.threads, files.progress}));
  Preview preview;
  for (std::size_t i = 0; i < found.size(); ++i)
    preview.documents.push_back({std::move(found[i].input), found[i].record + 1, std::move(found[i].field),
                                 std::move(found[i].text), std::move(outputs[i])});
  preview.receipt = privatizer->receipt(counts);
  return preview;
}

}  // namespace sotto
