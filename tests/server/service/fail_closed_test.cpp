// Many threads, too much work, and ledgers that do not work: no text without its entry, no answer mixed up.
#include <atomic>
#include <csignal>
#include <thread>

#include <sqlite3.h>
#include <sys/resource.h>

#include "service_fixture.hpp"

namespace sotto::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FailClosed : public ServiceTest {
 protected:
  static std::string text_of(int i) { return "the letter number " + std::to_string(i) + " to my doctor"; }
  static std::string body_of(int i, const std::string& rest = "") {
    return R"({"text": ")" + text_of(i) + R"(", "id": ")" + std::to_string(i) + "\"" + rest + "}";
  }

  /// Asks from `threads` threads for `count` documents each, all different, and compares each answer with
  /// what a Privatizer gives alone.
  void expect_own_answers(const Profile& profile, int threads, int count, const std::string& rest) {
    const auto alone = Privatizer::make(profile.options).value();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> clients;
    for (int thread = 0; thread < threads; ++thread)
      clients.emplace_back([&, thread] {
        for (int i = thread * count; i < (thread + 1) * count; ++i) {
          const auto answer = post("/v1/privatize", body_of(i, rest));
          Counts counts;
          const auto expected =
              alone->privatize({"/" + profile.name, std::to_string(i), "text"}, text_of(i), counts);
          if (answer->response.status != 200 || answer->text("/texts/0") != *expected ||
              answer->text("/ids/0") != std::to_string(i) || answer->number("/receipt/counts/documents") != 1)
            ++wrong;
        }
      });
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(wrong, 0);
  }
};

TEST_F(FailClosed, AnswersOfManyClientsAreNotMixedUp) {
  const Profile mail = profile("mail", keyed());
  start({mail});
  expect_own_answers(mail, 16, 50, "");
}

TEST_F(FailClosed, NorAreTheyInBatches) {
  Profile mail = profile("mail", keyed());
  mail.options.mechanism = {.name = "cmp", .epsilon = 10};
  start({mail});
  expect_own_answers(mail, 16, 20, "");
}

TEST_F(FailClosed, TheLedgerHoldsWhatWasAnswered) {
  const Profile mail = with_ledger("mail", 1e6);
  start({mail});
  expect_own_answers(mail, 8, 25, R"(, "subject": "ann")");
  service_.reset();
  const auto ledger = Ledger::open(path("mail.ledger")).value();
  const auto accounts = ledger->accounts_of("ann").value();
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0].documents, 200U);
  EXPECT_EQ(accounts[0].spent, 200 * 6 * NanoEpsilon{1'000'000'000}) << "six words each";
  EXPECT_EQ(ledger->verify().value().problem, "");
}

TEST_F(FailClosed, ARepeatIsRefusedWhateverItsText) {
  Profile mail = with_ledger("mail", 100);
  mail.repeat = Repeat::refuse;
  start({mail});
  EXPECT_EQ(post("/v1/privatize", R"({"text": "my secret", "id": "1", "subject": "ann"})")->response.status,
            200U);
  for (const std::string text : {"my secret", "a guess"}) {
    const auto again = post("/v1/privatize", R"({"text": ")" + text + R"(", "id": "1", "subject": "ann"})");
    EXPECT_EQ(again->response.status, 409U) << again->response.body;
    EXPECT_THAT(again->response.body, Not(HasSubstr("texts")));
  }
  const auto array =
      post("/v1/privatize", R"({"texts": ["a", "b", "c"], "ids": ["2", "1", "2"], "subject": "ann"})");
  EXPECT_EQ(array->response.status, 200U);
  EXPECT_EQ(array->part("/refused"), "[1,2]");
  EXPECT_EQ(array->part("/texts/1"), "null");
}

TEST_F(FailClosed, ProfilesThatPromiseLessThanTheySeemAreRefused) {
  Profile repeats = profile("mail", keyed());
  repeats.repeat = Repeat::refuse;
  Profile seeded = profile("mail", options());
  seeded.options.seed = 1;
  Profile unique = profile("mail", keyed());
  unique.options.unique_ids = true;
  Profile unkeyed = with_ledger("mail", 1);
  unkeyed.options.key_file.reset();
  const std::vector<std::pair<std::vector<Profile>, std::string>> table = {
      {{repeats}, "repeat"},
      {{seeded}, "seed"},
      {{unique}, "unique_ids"},
      {{unkeyed}, "ledger"},
      {{}, "profiles"},
      {{profile("a/b", keyed())}, "profiles"},
      {{profile("", keyed())}, "profiles"},
      {{profile("mail", keyed()), profile("mail", keyed())}, "profiles"}};
  for (const auto& [profiles, parameter] : table) {
    config_.profiles = profiles;
    const auto made = Service::make(config_);
    ASSERT_FALSE(made) << parameter;
    EXPECT_EQ(made.error().parameter, parameter);
  }
}

TEST_F(FailClosed, ALockedLedgerReleasesNothing) {
  start({with_ledger("mail", 100), profile("free", options())});
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path("mail.ledger").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto refused = post("/v1/privatize", R"({"text": "my secret", "subject": "ann"})");
  EXPECT_EQ(refused->response.status, 503U) << refused->response.body;
  EXPECT_EQ(refused->header("retry-after"), "1");
  EXPECT_EQ(refused->text("/error/code"), "unavailable");
  EXPECT_EQ(post("/v1/privatize", R"({"text": "a", "profile": "free"})")->response.status, 200U);
  sqlite3_close(other);
  const auto later = post("/v1/privatize", R"({"text": "my secret", "subject": "ann"})");
  EXPECT_EQ(later->response.status, 200U) << later->response.body;
  EXPECT_EQ(later->number("/spent"), 2) << "what failed was not charged";
}

TEST_F(FailClosed, ALedgerThatIsGoneReleasesNothing) {
  const Profile mail = with_ledger("mail", 100);
  start({mail});
  ASSERT_EQ(post("/v1/privatize", R"({"text": "a b", "subject": "ann"})")->response.status, 200U);
  std::filesystem::remove(mail.ledger->file);
  const auto refused = post("/v1/privatize", R"({"text": "my secret", "subject": "ann"})");
  EXPECT_EQ(refused->response.status, 503U) << refused->response.body;
  EXPECT_THAT(refused->response.body, Not(HasSubstr("mail.ledger")));
}

TEST_F(FailClosed, NoServiceStartsOverADamagedLedger) {
  const Profile mail = with_ledger("mail", 100);
  std::ofstream(mail.ledger->file) << std::string(8192, '\xAA');
  config_.profiles = {mail};
  EXPECT_FALSE(Service::make(config_));
  config_.profiles.front().ledger->file = "/dev/full";
  EXPECT_FALSE(Service::make(config_));
}

/// The file system is full: writes fail, as they do beyond a process's limit of a file's size.
TEST_F(FailClosed, AFullDiskReleasesNothing) {
  start({with_ledger("mail", 1e6)});
  const std::string body = R"({"text": "my secret", "subject": "ann"})";
  ASSERT_EQ(post("/v1/privatize", body)->response.status, 200U);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const auto refused = post("/v1/privatize", body);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(refused->response.status, 503U) << refused->response.body;
  EXPECT_THAT(refused->response.body, Not(HasSubstr("texts")));
  const auto later = post("/v1/privatize", body);
  EXPECT_EQ(later->response.status, 200U) << later->response.body;
  EXPECT_EQ(later->number("/spent"), 4) << "two words each; what failed was not charged";
}

TEST_F(FailClosed, TooMuchAtOnceIsRefused) {
  config_.limits.queued_bytes = 2000;
  Profile mail = profile("mail", keyed());
  mail.options.mechanism = {.name = "cmp", .epsilon = 10};
  start({mail});
  const std::string body = R"({"text": ")" + std::string(900, 'a') + "\"}";
  std::atomic<int> fine = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> other = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 32; ++i)
    clients.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        const auto answer = post("/v1/privatize", body);
        if (answer->response.status == 200)
          ++fine;
        else if (answer->response.status == 503 && answer->header("retry-after") == "1" &&
                 answer->text("/error/code") == "overloaded")
          ++refused;
        else
          ++other;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_GT(fine, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(post("/v1/privatize", body)->response.status, 200U) << "and then it works on";
  service_->drain();
  EXPECT_THAT(get("/metrics")->response.body, HasSubstr("sotto_queued_bytes 0\n"));
}

TEST_F(FailClosed, DrainingAnswersWhatWasTakenAndRefusesTheRest) {
  start({profile("mail", keyed())});
  EXPECT_EQ(get("/readyz")->response.status, 200U);
  service_->drain();
  EXPECT_EQ(get("/readyz")->response.status, 503U);
  EXPECT_EQ(get("/healthz")->response.status, 200U);
  const auto refused = post("/v1/privatize", R"({"text": "my secret"})");
  EXPECT_EQ(refused->response.status, 503U);
  EXPECT_EQ(post("/v1/explain", R"({"word": "dog", "epsilon": 1})")->response.status, 503U);
}

}  // namespace
}  // namespace sotto::server::testing
