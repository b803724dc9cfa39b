// POST /v1/attack: how often an attacker guesses the word, or what became one output word.
#include <sotto/options_json.hpp>

#include "service/computation.hpp"

namespace sotto::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 14> kAttackMembers = {
    "mechanism",  "parameters", "model",  "epsilon",    "attacks", "words", "prior",
    "neighbours", "draws",      "trials", "confidence", "seed",    "word",  "guesses"};
constexpr std::array<std::string_view, 1> kOutputWord = {"word"};
constexpr std::uint64_t kMostGuessedNeighbours = 50;
constexpr std::uint64_t kMostSecretWords = 1000;
constexpr std::uint64_t kMostAttackDraws = 1000;
constexpr std::uint64_t kMostTrials = 100'000;
constexpr std::chrono::seconds kLongestAttack{30};

Outcome<Response> guess_request(const JsonObject& body, std::string_view output) {
  SOTTO_TRY(body.integer("neighbours", 1, kMostGuessedNeighbours));
  SOTTO_TRY(body.integer("draws", 1, kMostAttackDraws));
  SOTTO_ASSIGN(const InputGuessOptions options,
               input_guess_options_from_json(body.json_without(kOutputWord)));
  auto guesses = guess_inputs(output, options);
  if (!guesses && guesses.error().parameter == "output")
    return unprocessable("word is not a word of the model, so it cannot be an output", "word");
  SOTTO_TRY(guesses);
  return json_response(to_json(*guesses));
}

Outcome<Response> attack_request(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kAttackMembers));
  SOTTO_TRY(check_names(body));
  SOTTO_ASSIGN(const auto output, body.text("word"));
  if (output) return guess_request(body, *output);
  SOTTO_TRY(body.integer("words", 1, kMostSecretWords));
  SOTTO_TRY(body.integer("draws", 1, kMostAttackDraws));
  SOTTO_TRY(body.integer("trials", 1, kMostTrials));
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
