// A service over the shipped word lists, and shorthands for asking it.
#pragma once

#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <sotto/error_text.hpp>
#include <sotto/privatizer.hpp>

#include "service/service.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::server::testing {

using sotto::testing::TemporaryFolder;

/// An answer, parsed.
struct Answer {
  Response response;
  simdjson::dom::parser parser;
  simdjson::dom::element json;

  std::string text(std::string_view pointer) const {
    std::string_view text;
    EXPECT_FALSE(json.at_pointer(pointer).get_string().get(text)) << pointer << ": " << response.body;
    return std::string(text);
  }
  double number(std::string_view pointer) const {
    double number = 0;
    EXPECT_FALSE(json.at_pointer(pointer).get_double().get(number)) << pointer << ": " << response.body;
    return number;
  }
  std::string part(std::string_view pointer) const {
    simdjson::dom::element element;
    EXPECT_FALSE(json.at_pointer(pointer).get(element)) << pointer << ": " << response.body;
    return simdjson::minify(element);
  }
  std::string header(std::string_view name) const {
    for (const Header& one : response.headers)
      if (one.first == name) return one.second;
    return {};
  }
};

inline Request request_of(std::string method, std::string path, std::string body, Caller caller = {}) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  request.headers = {{"content-type", "application/json"}};
  request.caller = std::move(caller);
  return request;
}

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() { std::ofstream(path("key")) << std::string(32, 'k'); }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  static PrivatizeOptions options(double epsilon = 1) {
    PrivatizeOptions options;
    options.mechanism.epsilon = epsilon;
    return options;
  }
  PrivatizeOptions keyed(double epsilon = 1) const {
    PrivatizeOptions with = options(epsilon);
    with.key_file = path("key");
    return with;
  }
  Profile profile(const std::string& name, const PrivatizeOptions& options) const {
    Profile profile;
    profile.name = name;
    profile.options = options;
    return profile;
  }
  Profile with_ledger(const std::string& name, double limit) const {
    Profile charged = profile(name, keyed());
    charged.ledger = LedgerOptions{path(name + ".ledger"), "subject", limit};
    return charged;
  }

  void start(std::vector<Profile> profiles) {
    config_.profiles = std::move(profiles);
    auto made = Service::make(config_);
    ASSERT_TRUE(made) << describe(made.error());
    service_ = std::move(*made);
  }

  std::unique_ptr<Answer> ask(Request request) const {
    std::promise<Response> promise;
    service_->handle(std::move(request), [&](Response response) { promise.set_value(std::move(response)); });
    auto answer = std::make_unique<Answer>();
    answer->response = promise.get_future().get();
    if (answer->response.content_type == "application/json" && !answer->response.body.empty()) {
      EXPECT_FALSE(answer->parser.parse(answer->response.body).get(answer->json)) << answer->response.body;
    }
    return answer;
  }
  std::unique_ptr<Answer> post(const std::string& path, const std::string& body, Caller caller = {}) const {
    return ask(request_of("POST", path, body, std::move(caller)));
  }
  std::unique_ptr<Answer> get(const std::string& path, Caller caller = {}) const {
    return ask(request_of("GET", path, "", std::move(caller)));
  }

  TemporaryFolder folder_;
  ServerConfig config_;
  std::unique_ptr<Service> service_;
};

}  // namespace sotto::server::testing
