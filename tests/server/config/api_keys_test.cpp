#include "config/api_keys.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sotto/error_text.hpp>

#include "support/folder_test.hpp"

namespace sotto::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ApiKeys : public testing::FolderTest {
 protected:
  KeyFiles files() { return {folder_.path() / "keys.yaml", folder_.path() / "secret"}; }
  std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  Result<std::string> add(const std::string& name, bool rotate = false) {
    ApiKey key;
    key.name = name;
    key.profiles = {"chat"};
    return add_api_key(files(), key, rotate);
  }
  Result<KeyTable> table() {
    return KeyTable::read(files().keys, files().secret, {"chat", "mail"}, UnknownProfiles::refuse);
  }
};

TEST_F(ApiKeys, AKeyIsFoundAndIsStoredNowhere) {
  const auto key = add("web");
  ASSERT_TRUE(key) << describe(key.error());
  EXPECT_TRUE(key->starts_with("sotto_"));
  EXPECT_EQ(key->size(), 6 + 43U);
  EXPECT_THAT(content(files().keys), Not(HasSubstr(key->substr(6))));
  const auto read = table();
  ASSERT_TRUE(read) << describe(read.error());
  ASSERT_NE(read->find(*key), nullptr);
  EXPECT_EQ(read->find(*key)->name, "web");
  EXPECT_EQ(read->find(*key)->profiles, std::vector<std::string>{"chat"});
  EXPECT_FALSE(read->find(*key)->ledger);
}

TEST_F(ApiKeys, NothingElseIsFound) {
  const std::string key = add("web").value();
  const auto read = table();
  ASSERT_TRUE(read);
  for (const std::string& other : {std::string(), key.substr(1), key + "A", key.substr(0, key.size() - 1),
                                   read->keys()[0].hash, std::string(100'000, 'x'), std::string("sotto_")})
    EXPECT_EQ(read->find(other), nullptr);
}

TEST_F(ApiKeys, AKeyOfAnotherServerIsNotFound) {
  const std::string key = add("web").value();
  std::filesystem::remove(files().secret);
  const std::string other = add("other").value();
  const auto read = table();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->find(key), nullptr);
  EXPECT_NE(read->find(other), nullptr);
}

TEST_F(ApiKeys, RotationKeepsNameAndRights) {
  const std::string old = add("web").value();
  EXPECT_FALSE(add("web"));
  EXPECT_FALSE(add("new", true)) << "there is nothing to rotate";
  ApiKey again;
  again.name = "web";
  const auto fresh = add_api_key(files(), again, true);
  ASSERT_TRUE(fresh) << describe(fresh.error());
  const auto both = table();
  ASSERT_TRUE(both);
  EXPECT_EQ(both->find(old)->name, both->find(*fresh)->name);
  EXPECT_EQ(both->find(*fresh)->profiles, std::vector<std::string>{"chat"});
  EXPECT_EQ(remove_api_keys(files(), "web", true).value(), 1U);
  const auto left = table();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->find(old), nullptr);
  EXPECT_NE(left->find(*fresh), nullptr);
  EXPECT_EQ(remove_api_keys(files(), "web", false).value(), 1U);
  EXPECT_EQ(table()->find(*fresh), nullptr);
  EXPECT_FALSE(remove_api_keys(files(), "web", false));
}

TEST_F(ApiKeys, FilesAreForTheirOwnerOnly) {
  ASSERT_TRUE(add("web"));
  for (const auto& file : {files().keys, files().secret}) {
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
    for (const mode_t open : {0604U, 0620U, 0602U}) {
      ::chmod(file.c_str(), open);
      EXPECT_THAT(describe(table().error()), HasSubstr("is open to other users"));
      EXPECT_FALSE(add("other"));
    }
    ::chmod(file.c_str(), 0640);
    EXPECT_TRUE(table()) << "a group may read what a service is given";
    ::chmod(file.c_str(), 0600);
  }
}

TEST_F(ApiKeys, AKeyMayNotNameAProfileThatDoesNotExist) {
  ASSERT_TRUE(add("web"));
  const auto read = KeyTable::read(files().keys, files().secret, {"mail"}, UnknownProfiles::refuse);
  ASSERT_FALSE(read);
  EXPECT_THAT(describe(read.error()), HasSubstr("'chat', which the configuration lacks; it has mail"));
}

TEST_F(ApiKeys, AProfileThatIsGoneIsDroppedWhereTheOthersCount) {
  ASSERT_TRUE(add("web"));  // chat
  ApiKey key;
  key.name = "post";
  key.profiles = {"mail"};
  const auto post = add_api_key(files(), key, false);
  const auto read = KeyTable::read(files().keys, files().secret, {"mail"}, UnknownProfiles::drop);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->notes().size(), 1U);
  EXPECT_THAT(read->notes().front(), HasSubstr("key web may use the profile 'chat', which"));
  EXPECT_TRUE(read->keys().front().profiles.empty());
  EXPECT_EQ(read->find(*post)->profiles, std::vector<std::string>{"mail"});
}

TEST_F(ApiKeys, WithoutProfilesAllOfThem) {
  ApiKey key;
  key.name = "all";
  const auto made = add_api_key(files(), key, false);
  ASSERT_TRUE(made);
  EXPECT_EQ(table()->find(*made)->profiles, (std::vector<std::string>{"chat", "mail"}));
}

TEST_F(ApiKeys, NamesThatCouldBeAnythingElseAreRefused) {
  for (const char* name : {"", "a b", "a\nb", "a: b", "a/b", "{a}"}) EXPECT_FALSE(add(name)) << name;
  ApiKey key;
  key.name = "a";
  key.profiles = {"x\"]}"};
  EXPECT_FALSE(add_api_key(files(), key, false));
}

TEST_F(ApiKeys, ASecretOfAnotherSizeIsRefused) {
  std::ofstream(files().secret) << "short";
  ::chmod(files().secret.c_str(), 0600);
  EXPECT_THAT(describe(add("web").error()),
              HasSubstr("found 5 bytes; the server's secret is 32 random bytes"));
}

TEST(ApiKeyLines, SayWhatIsWrongAndWhere) {
  const std::string hash(64, 'a');
  const std::pair<std::string, const char*> files[] = {
      {"a: b", "a keys file is a list of keys"},
      {"- web", "a key is not a map"},
      {"- {name: web, profiles: [a]}", "line 1: the hash of a key has 64 hexadecimal digits"},
      {"- {name: web, hash: 00, profiles: [a]}", "the hash of a key has 64 hexadecimal digits"},
      {"- {name: web, hash: " + hash + "0, profiles: [a]}", "the hash of a key has 64 hexadecimal digits"},
      {"- {name: web, hash: " + hash + "}", "a key needs profiles"},
      {"- {name: web, hash: " + hash + ", profiles: []}", "a key needs profiles"},
      {"- {hash: " + hash + ", profiles: [a]}", "the name of a key"},
      {"- {name: 'a b', hash: " + hash + ", profiles: [a]}", "the name of a key"},
      {"\n- {nam: web}", "line 2: there is no 'nam' (did you mean 'name'?)"},
      {"- {name: web, ledger: perhaps}", "ledger: 'perhaps' is not allowed"},
      {"- {name: web, profiles: [[a]]}", "profiles has no usable value"},
  };
  for (const auto& [text, expected] : files) {
    const auto read = parse_api_keys(text, "keys.yaml");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(describe(read.error()), HasSubstr(expected)) << text;
  }
}

}  // namespace
}  // namespace sotto::server
