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
constexpr std::uint64_t kMostGuesses = 100;
constexpr std::uint64_t kMostNeighbours = 100;
constexpr std::uint64_t kGuessDraws = 300;
constexpr std::uint64_t kMostSecretWords = 1000;
constexpr std::uint64_t kMostAttackDraws = 1000;
constexpr std::uint64_t kMostTrials = 100'000;
constexpr std::chrono::seconds kLongestAttack{30};

Outcome<Response> guess_request(ServiceState& state, const JsonObject& body, std::string_view output) {
  for (const char* member : {"attacks", "words", "trials", "confidence"})
    if (body.has(member)) return unprocessable("this member does not go with word", member);
  SOTTO_ASSIGN(const MechanismSpec spec, read_mechanism(body));
  InputGuessOptions options;
  SOTTO_ASSIGN(const auto prior, body.text("prior"));
  if (prior) options.prior = *prior;
  SOTTO_ASSIGN(const auto guesses, body.integer("guesses", 1, kMostGuesses));
  options.guesses = guesses.value_or(options.guesses);
  SOTTO_ASSIGN(const auto neighbours, body.integer("neighbours", 1, kMostNeighbours));
  options.neighbours = neighbours.value_or(options.neighbours);
  SOTTO_ASSIGN(const auto draws, body.integer("draws", 1, kMostAttackDraws));
  options.draws = draws.value_or(kGuessDraws);
  SOTTO_ASSIGN(options.seed, body.integer("seed", 0, std::uint64_t{1} << 53));
  SOTTO_ASSIGN(const auto open, state.mechanisms.open(spec));
  const auto guessed = guess_inputs(output, *open, options);
  if (guessed) return json_response(to_json(*guessed));
  Failure failure(guessed.error());
  const std::string& parameter = guessed.error().parameter;
  // The library quotes the word; the answer does not.
  if (failure.status < 500 && (parameter.empty() || parameter == "output"))
    return unprocessable("it must be a word of the model", "word");
  return tl::unexpected(std::move(failure));
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
