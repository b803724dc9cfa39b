#include <sotto/attack.hpp>

#include "audit/estimate_json.hpp"
#include "base/json.hpp"

namespace sotto {
using namespace audit;
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const AttackResult& attack) {
  const Estimate error = {1 - attack.success.value, 1 - attack.success.high, 1 - attack.success.low};
  return {{"name", attack.name},
          {"adversary", attack.adversary},
          {"success", audit::json_of(attack.success)},
          {"candidates", attack.candidates},
          {"expected_inference_error", audit::json_of(attack.expected_error)},
          {"best_guess_error", audit::json_of(error)}};
}

}  // namespace

std::string to_json(const AttackReport& r) {
  Json attacks = Json::array();
  for (const AttackResult& attack : r.attacks) attacks.push_back(json_of(attack));
  return base::json_text({{"mechanism", r.mechanism},
                          {"epsilon", r.epsilon},
                          {"model", r.model},
                          {"prior", r.prior},
                          {"words", r.words},
                          {"whole_vocabulary", r.whole_vocabulary},
                          {"exact", r.exact},
                          {"draws", r.draws},
                          {"trials", r.trials},
                          {"confidence", r.confidence},
                          {"blind_success", r.blind_success},
                          {"metric", r.metric},
                          {"utility_loss", json_of(r.utility_loss)},
                          {"changed", json_of(r.changed)},
                          {"attacks", attacks},
                          {"seconds", r.seconds}});
}

std::string to_json(const InputGuesses& g) {
  Json guesses = Json::array();
  for (const InputGuess& guess : g.guesses)
    guesses.push_back({{"word", guess.word}, {"probability", guess.probability}});
  return base::json_text({{"output", g.output},
                          {"mechanism", g.mechanism},
                          {"epsilon", g.epsilon},
                          {"model", g.model},
                          {"prior", g.prior},
                          {"exact", g.exact},
                          {"candidates", g.candidates},
                          {"draws", g.draws},
                          {"seen", g.seen},
                          {"blind", g.blind},
                          {"guesses", guesses}});
}

std::string to_json(const MaskInferenceReport& r) {
  return base::json_text({{"attack", "mask"},
                          {"model", r.model},
                          {"lines", r.lines},
                          {"lines_left_out", r.lines_left_out},
                          {"words", r.places},
                          {"words_the_model_can_name", r.sayable},
                          {"changed", r.changed},
                          {"candidates", r.candidates},
                          {"vocabulary", r.vocabulary},
                          {"confidence", r.confidence},
                          {"success", json_of(r.success)},
                          {"success_among_candidates", json_of(r.success_among)},
                          {"success_where_changed", json_of(r.success_changed)},
                          {"kept", r.kept},
                          {"blind_success", r.blind},
                          {"seconds", r.seconds}});
}

}  // namespace sotto
