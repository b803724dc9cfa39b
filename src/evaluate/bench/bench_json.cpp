#include <sotto/bench.hpp>
#include <sotto/error_text.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const BenchResult& r, bool with_data) {
  Json json = {{"mechanism", r.mechanism}, {"parameters", r.parameters}};
  if (r.refusal) {
    json["refusal"] = describe(*r.refusal);
    return json;
  }
  json.update({{"model", r.model},
               {"setup_seconds", r.setup_seconds},
               {"setup_bytes", r.setup_bytes},
               {"words", r.words},
               {"words_first_seconds", r.first_seconds},
               {"words_again_seconds", r.again_seconds},
               {"words_a_day", r.words_a_day()},
               {"words_again_a_day", r.words_again_a_day()},
               {"words_bytes", r.words_bytes},
               {"bytes_a_word", r.bytes_a_word()}});
  if (with_data)
    json.update({{"data_tokens", r.data_tokens},
                 {"data_seconds", r.data_seconds},
                 {"data_tokens_a_day", r.data_a_day()}});
  return json;
}

}  // namespace

std::string to_json(const BenchReport& report) {
  const bool with_data = !report.data.empty();
  Json results = Json::array();
  for (const BenchResult& result : report.results) results.push_back(json_of(result, with_data));
  return base::json_text({{"processor", report.processor},
                          {"processors", report.processors},
                          {"threads", report.threads},
                          {"epsilon", report.epsilon},
                          {"words", report.words},
                          {"data", with_data ? Json(report.data) : Json()},
                          {"memory_is_peak", report.peak_memory},
                          {"results", results}});
}

}  // namespace sotto
