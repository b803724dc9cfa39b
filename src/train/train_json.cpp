#include <sotto/train.hpp>

#include "base/json.hpp"

namespace sotto {

std::string to_json(const TrainReport& report) {
  return base::json_text(
      {{"path", report.file.string()},
       {"words", report.vocabulary},
       {"bigrams", report.bigrams},
       {"trigrams", report.trigrams},
       {"corpus", {{"documents", report.documents}, {"words", report.words}, {"tokens", report.tokens}}},
       {"resumed", report.resumed},
       {"seconds", report.seconds},
       {"training_seconds", report.training_seconds},
       {"tokens_per_second", report.tokens_per_second},
       {"loss", report.loss},
       {"scale", report.scale},
       {"largest_error", report.largest_error},
       {"sha256", report.sha256}});
}

}  // namespace sotto
