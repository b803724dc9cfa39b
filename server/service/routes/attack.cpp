// POST /v1/attack: how often an attacker guesses the word, or what the best one says of one output.
#include <sotto/options_json.hpp>

#include "service/computation.hpp"

namespace sotto::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 14> kAttackMembers = {
    "mechanism", "parameters", "model",      "epsilon", "word",   "guesses",    "attacks",
    "words",     "prior",      "neighbours", "draws",   "trials", "confidence", "seed"};
constexpr std::array<std::string_view, 1> kOutputWord = {"word"};
constexpr std::uint64_t kMostSecretWords = 1000;
constexpr std::uint64_t kMostAttackDraws = 1000;
constexpr std::uint64_t kMostTrials = 100'000;
constexpr std::chrono::seconds kLongestAttack{30};

/// What the best attacker says of one output word.
Outcome<Response> guesses_of(const JsonObject& body, std::string_view word) {
  SOTTO_ASSIGN(const InputGuessOptions options,
               input_guess_options_from_json(body.json_without(kOutputWord)));
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  // The library's error would quote it.
  if (open.model->find(word) == open.model->bottom())
    return unprocessable("it must be a word of the model, as the mechanism gives them", "word");
  SOTTO_ASSIGN(const InputGuesses guesses, guess_inputs(word, open, options));
  return json_response(to_json(guesses));
}

Outcome<Response> attack_request(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kAttackMembers));
  SOTTO_TRY(check_names(body));
  SOTTO_TRY(body.integer("words", 1, kMostSecretWords));
  SOTTO_TRY(body.integer("draws", 1, kMostAttackDraws));
  SOTTO_TRY(body.integer("trials", 1, kMostTrials));
  SOTTO_ASSIGN(const auto word, body.text("word"));
  if (word) return guesses_of(body, *word);
  SOTTO_ASSIGN(AttackOptions options, attack_options_from_json(body.json_without({})));
  options.progress = [&state, end = Clock::now() + kLongestAttack](std::uint64_t, std::uint64_t) {
    return Clock::now() < end && !state.load.is_ending();
  };
  SOTTO_ASSIGN(const AttackReport report, attack(options));
  return json_response(to_json(report));
}

}  // namespace

void add_attack_route(Router& router) {
  router.add({"POST", "/v1/attack", Access::key, computed(attack_request)});
}

}  // namespace sotto::server
