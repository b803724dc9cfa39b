// GET /, /experiments and /web/NAME: the files of the page.
#include "playground/embedded_files.hpp"
#include "service/router.hpp"

namespace sotto::server {
namespace {

// The page loads and runs what this server has, and nothing else; it is in nobody's frame.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

std::string_view file_name(std::string_view path) {
  constexpr std::string_view kFolder = "/web/";
  if (path == "/") return "index.html";
  if (path == "/experiments") return "experiments.html";
  return path.starts_with(kFolder) ? path.substr(kFolder.size()) : std::string_view();
}

/// Whether If-None-Match names this tag; a tag that is marked as weak counts as well (RFC 9110, 13.1.2).
bool has_tag(const Request& request, std::string_view etag) {
  for (const auto& [name, value] : request.headers)
    if (name == "if-none-match" && (value == "*" || value.find(etag) != std::string::npos)) return true;
  return false;
}

Outcome<Response> page(ServiceState& state, const Request& request) {
  const EmbeddedFile* file = state.config.playground ? find_embedded_file(file_name(request.path)) : nullptr;
  if (file == nullptr) return tl::unexpected(Failure(404, "not_found", "there is nothing at this path"));
  Response response;
  response.content_type = file->content_type;
  response.headers = {{"etag", std::string(file->etag)},
                      {"cache-control", "no-cache"},
                      {"content-security-policy", std::string(kContentSecurityPolicy)},
                      {"cross-origin-opener-policy", "same-origin"},
                      {"cross-origin-resource-policy", "same-origin"},
                      {"referrer-policy", "no-referrer"},
                      {"x-content-type-options", "nosniff"}};
  if (has_tag(request, file->etag))
    response.status = 304;
  else
    response.body = file->content;
  return response;
}

}  // namespace

void add_page_routes(Router& router) {
  for (const char* path : {"/", "/experiments", "/web/"})
    router.add({"GET", path, Access::open, at_once(page)});
}

}  // namespace sotto::server
