// POST /v1/attack: how often an attacker guesses the word; with "word", what the best one says of this
// output.
#include <sotto/options_json.hpp>

#include "service/computation.hpp"

namespace sotto::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 14> kAttackMembers = {
    "mechanism",  "parameters", "model",  "epsilon",    "attacks", "words", "prior",
    "neighbours", "draws",      "trials", "confidence", "seed",    "word",  "guesses"};
constexpr std::array<std::string_view, 1> kOutputWord = {"word"};
constexpr std::uint64_t kMostGuesses = 100;
constexpr std::uint64_t kMostNeighbours = 100;
constexpr std::uint64_t kMostSecretWords = 1000;
constexpr std::uint64_t kMostAttackDraws = 1000;
constexpr std::uint64_t kMostTrials = 100'000;
constexpr std::chrono::seconds kLongestAttack{30};

Outcome<Response> guess_request(ServiceState& state, const JsonObject& body, std::string_view output) {
  SOTTO_TRY(body.integer("guesses", 1, kMostGuesses));
  SOTTO_TRY(body.integer("neighbours", 1, kMostNeighbours));
  SOTTO_TRY(body.integer("draws", 1, kMostAttackDraws));
  SOTTO_ASSIGN(const InputGuessOptions options,
               input_guess_options_from_json(body.json_without(kOutputWord)));
  SOTTO_ASSIGN(const auto open, state.mechanisms.open(options.mechanism));
  // The library's error would quote it.
  if (open->model->find(output) == open->model->bottom())
    return unprocessable("it must be a word of the model", "word");
  SOTTO_ASSIGN(const InputGuesses guesses, guess_inputs(output, *open, options));
  return json_response(to_json(guesses));
}

Outcome<Response> attack_request(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kAttackMembers));
  SOTTO_TRY(check_names(body));
  SOTTO_ASSIGN(const auto output, body.text("word"));
  if (output) return guess_request(state, body, *output);
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
