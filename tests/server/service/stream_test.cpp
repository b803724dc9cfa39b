// POST /v1/privatize with a body of lines.
#include <sstream>

#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A body that is there already, handed out a few lines at a time.
class TestLines : public LineExchange {
 public:
  explicit TestLines(std::string body) : body_(std::move(body)) {}

  Result<void> read(std::string& lines, std::size_t most) override {
    while (!body_.empty() && lines.size() < std::min<std::size_t>(most, 200)) {
      const std::size_t end = std::min(body_.find('\n'), body_.size() - 1) + 1;
      lines += body_.substr(0, end);
      body_.erase(0, end);
    }
    largest = std::max(largest, lines.size());
    return {};
  }
  Result<void> write(std::string_view lines) override {
    if (breaks) return sotto::fail(Errc::closed_pipe, "the client is gone");
    written += lines;
    return {};
  }
  void refuse(Response response) override { refused = std::move(response); }
  void fail(std::string_view line) override { failed += line; }

  std::string written;
  std::string failed;
  std::optional<Response> refused;
  std::size_t largest = 0;
  bool breaks = false;

 private:
  std::string body_;
};

class Streams : public ServiceTest {
 protected:
  void stream(TestLines& lines, const std::string& query = "") {
    Request request = request_of("POST", "/v1/privatize", "");
    request.headers = {{"content-type", "application/x-ndjson; charset=utf-8"}};
    request.query = query;
    ASSERT_TRUE(service_->in_lines(request));
    service_->handle_lines(request, lines);
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(Streams, AnswerEachLineInOrder) {
  start({profile("mail", keyed())});
  std::string body;
  for (int i = 0; i < 300; ++i)
    body += R"({"text": "line number )" + std::to_string(i) + R"( here", "id": ")" + std::to_string(i) +
            "\"}\r\n\n";
  TestLines lines(body);
  stream(lines);
  EXPECT_FALSE(lines.refused) << lines.refused->body;
  EXPECT_EQ(lines.failed, "");
  const auto answers = lines_of(lines.written);
  ASSERT_EQ(answers.size(), 301U);
  for (const int i : {0, 150, 299}) {
    const auto alone = post("/v1/privatize", R"({"text": "line number )" + std::to_string(i) +
                                                 R"( here", "id": ")" + std::to_string(i) + "\"}");
    EXPECT_EQ(answers[i], R"({"text":)" + alone->part("/texts/0") + R"(,"id":")" + std::to_string(i) + "\"}");
  }
  EXPECT_THAT(answers.back(), HasSubstr(R"("documents":300)"));
  EXPECT_THAT(answers.back(), HasSubstr(R"("done":true})"));
}

TEST_F(Streams, SayWhatIsWithheld) {
  start({with_ledger("mail", 3)});
  TestLines lines(R"({"text": "one two", "id": "1", "subject": "ann"}
{"text": "three four", "id": "2", "subject": "ann"}
{"text": "five", "id": "3", "subject": "bob"})");
  stream(lines);
  const auto answers = lines_of(lines.written);
  ASSERT_EQ(answers.size(), 4U) << lines.failed;
  EXPECT_EQ(answers[1], R"({"text":null,"id":"2","withheld":true})");
  EXPECT_THAT(answers[3], HasSubstr(R"("withheld":1)"));
}

TEST_F(Streams, BeginAsAnErrorOrEndWithOne) {
  start({profile("mail", keyed())});
  TestLines wrong("{\"secret\": 1}\n");
  stream(wrong);
  ASSERT_TRUE(wrong.refused);
  EXPECT_EQ(wrong.refused->status, 422U);
  EXPECT_EQ(wrong.written + wrong.failed, "");

  std::string body;
  for (int i = 0; i < 20; ++i) body += "{\"text\": \"a line that is fine\"}\n";
  TestLines late(body + "{\"text\": \"secret\xFF\"}\n");
  stream(late);
  EXPECT_FALSE(late.refused);
  EXPECT_NE(late.written, "");
  EXPECT_THAT(late.written, Not(HasSubstr("done")));
  EXPECT_THAT(late.failed, HasSubstr("line 21"));
  EXPECT_THAT(late.failed, Not(HasSubstr("secret")));

  TestLines gone(body);
  gone.breaks = true;
  stream(gone);
  EXPECT_EQ(gone.written, "");
  EXPECT_THAT(gone.failed, HasSubstr("error"));
}

TEST_F(Streams, TakeTheirOptionsFromTheQuery) {
  Profile mail = profile("mail", keyed());
  mail.allowed = {{"diffractor-geometric", 1}};
  start({profile("other", keyed()), mail});
  TestLines lines("{\"text\": \"one\"}\n");
  stream(lines, "profile=mail&epsilon=0.5");
  EXPECT_THAT(lines.written, HasSubstr(R"("epsilon":0.5)")) << lines.failed;
  for (const std::string query :
       {"profile=none", "epsilon=2&profile=mail", "epsilon=x&profile=mail", "secret=1", "profile=%",
        "profile=%F", "profile=%FF", "profile=mail&profile=mail"}) {
    TestLines refused("{\"text\": \"one\"}\n");
    stream(refused, query);
    ASSERT_TRUE(refused.refused) << query;
    EXPECT_GE(refused.refused->status, 400U) << query;
    EXPECT_LT(refused.refused->status, 500U) << query << refused.refused->body;
  }
}

}  // namespace
}  // namespace sotto::server::testing
