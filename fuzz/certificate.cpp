// Certificates: whatever parses as one survives a round trip through JSON unchanged.
#include <cmath>

#include <nlohmann/json.hpp>

#include <sotto/certificate.hpp>

#include "base/hash.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

void check(std::string_view text) {
  const auto certificate = parse_certificate(text);
  if (!certificate) return;
  require(std::isfinite(certificate->epsilon) && certificate->epsilon >= 0 &&
              certificate->attained <= certificate->epsilon && certificate->sample == 0,
          "a certificate's figures are possible");
  const std::string written = to_json(*certificate);
  const auto again = parse_certificate(written);
  require(again.has_value() && again->subject == certificate->subject &&
              again->epsilon == certificate->epsilon && to_json(*again) == written,
          "a certificate that is written again is the same");
}

}  // namespace

SOTTO_FUZZ_TARGET(certificate) {
  using Json = nlohmann::ordered_json;
  check(input);
  // The same input with its checksum corrected.
  Json json = Json::parse(input, nullptr, false);
  if (!json.is_object()) return;
  json.erase("content_sha256");
  json["content_sha256"] =
      base::to_hex(base::sha256(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
  check(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}
