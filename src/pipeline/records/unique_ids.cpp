#include "pipeline/records/unique_ids.hpp"

#include <cstring>

#include "random/document_stream.hpp"

namespace sotto::pipeline {

IdHash UniqueIds::hash(std::string_view dataset, std::string_view id, std::string_view field) const {
  const random::Key named = random::DocumentStreams(key_, dataset, {}).stream_key({id, 0}, field, "");
  IdHash hash;
  static_assert(sizeof(hash) <= sizeof(named));
  std::memcpy(hash.data(), named.data(), sizeof(hash));
  return hash;
}

}  // namespace sotto::pipeline
