#include "pipeline/rewrite/release_log.hpp"

#include <sodium.h>

#include "random/document_stream.hpp"

namespace sotto::pipeline {

void ReleaseLog::clear() {
  records.clear();
  documents.clear();
  names.clear();
  output_keys_.clear();
  outputs_ = 0;
}

void ReleaseLog::list(const random::Key& stream_key, NanoEpsilon amount) {
  documents.push_back({random::document_tag(stream_key, records.back().subject), amount, {}});
  output_keys_.push_back(random::output_key(stream_key));
}

void ReleaseLog::set_output(std::string_view text) {
  random::Key& key = output_keys_[outputs_];
  documents[outputs_++].mac = random::output_mac(key, text);
  sodium_memzero(key.data(), key.size());
}

std::span<const privacy::LedgerDocument> ReleaseLog::documents_of(std::size_t record) const {
  const std::size_t begin = records[record].first_document;
  const std::size_t end = record + 1 < records.size() ? records[record + 1].first_document : documents.size();
  return std::span(documents).subspan(begin, end - begin);
}

std::span<const privacy::DocumentNameTag> ReleaseLog::names_of(std::size_t record) const {
  const std::size_t begin = records[record].first_name;
  const std::size_t end = record + 1 < records.size() ? records[record + 1].first_name : names.size();
  return std::span(names).subspan(begin, end - begin);
}

}  // namespace sotto::pipeline
