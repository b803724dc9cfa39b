#include "config/config_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

namespace sotto::server {
namespace {

using ::testing::HasSubstr;

Result<ServerConfig> parse(const std::string& text) {
  return parse_server_config(text, "serve.yaml");
}

TEST(ConfigReader, WithoutAFileOnlyThisMachineAndOnePrivateProfile) {
  const ServerConfig config = default_config();
  EXPECT_EQ(config.listen, std::vector<std::string>{"127.0.0.1:8080"});
  ASSERT_EQ(config.profiles.size(), 1U);
  EXPECT_EQ(config.profiles[0].name, "default");
  EXPECT_EQ(config.profiles[0].options.mechanism.epsilon, 1);
  EXPECT_FALSE(config.profiles[0].options.seed);
  EXPECT_FALSE(config.profiles[0].options.keyed());
  EXPECT_TRUE(validate(config));
}

TEST(ConfigReader, EverySettingArrives) {
  const auto read = parse(R"(
listen: [127.0.0.1:1, "[::1]:2", unix:/run/s.sock]
metrics_listen: 127.0.0.1:3
behind_proxy: true
tls: {certificate: c.pem, key: k.pem}
keys_file: keys.yaml
secret_file: secret
playground: false
threads: 3
limits:
  {body: 1M, header: 2K, texts: 3, document: 4, queue: 5G, bodies: 6M, connections: 7, streams: 8,
   requests_per_key: 9, concurrent_per_key: 10, header_time: 11, body_time: 12, idle_time: 13, drain_time: 14}
profiles:
  chat: {mechanism: santext, epsilon: 5, parameters: {selection: exponential}, key_file: k,
         ledger: {file: l, limit: 50, wait: 2}, repeat: refuse, outside: keep,
         allowed: [{mechanism: tem, most_epsilon: 3}, {mechanism: cmp, most_epsilon: 0.5}]}
  other: {document_epsilon: 7}
)");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->listen, (std::vector<std::string>{"127.0.0.1:1", "[::1]:2", "unix:/run/s.sock"}));
  EXPECT_EQ(read->metrics_listen, "127.0.0.1:3");
  EXPECT_TRUE(read->behind_proxy);
  ASSERT_TRUE(read->tls);
  EXPECT_EQ(read->tls->certificate, "c.pem");
  EXPECT_EQ(read->tls->key, "k.pem");
  EXPECT_EQ(read->keys_file, "keys.yaml");
  EXPECT_EQ(read->secret_file, "secret");
  EXPECT_FALSE(read->playground);
  EXPECT_EQ(read->threads, 3U);
  const Limits& limits = read->limits;
  EXPECT_EQ(limits.body_bytes, 1U << 20);
  EXPECT_EQ(limits.header_bytes, 2048U);
  EXPECT_EQ(limits.texts, 3U);
  EXPECT_EQ(limits.document_bytes, 4U);
  EXPECT_EQ(limits.queued_bytes, std::size_t{5} << 30);
  EXPECT_EQ(limits.bodies_bytes, std::size_t{6} << 20);
  EXPECT_EQ(limits.connections, 7U);
  EXPECT_EQ(limits.streams, 8U);
  EXPECT_EQ(limits.requests_per_key, 9U);
  EXPECT_EQ(limits.concurrent_per_key, 10U);
  EXPECT_EQ(limits.header_time.count(), 11);
  EXPECT_EQ(limits.body_time.count(), 12);
  EXPECT_EQ(limits.idle_time.count(), 13);
  EXPECT_EQ(limits.drain_time.count(), 14);
  ASSERT_EQ(read->profiles.size(), 2U);
  const Profile& chat = read->profiles[0];
  EXPECT_EQ(chat.name, "chat");
  EXPECT_EQ(chat.options.mechanism.name, "santext");
  EXPECT_EQ(chat.options.mechanism.epsilon, 5);
  EXPECT_EQ(chat.options.mechanism.parameters.at("selection"), "exponential");
  ASSERT_TRUE(chat.ledger);
  EXPECT_EQ(chat.ledger->file, "l");
  EXPECT_EQ(chat.ledger->limit, 50);
  EXPECT_EQ(chat.ledger->wait_seconds, 2);
  EXPECT_EQ(chat.repeat, Repeat::refuse);
  EXPECT_TRUE(chat.outside_keep);
  ASSERT_EQ(chat.allowed.size(), 2U);
  EXPECT_EQ(chat.allowed[1].name, "cmp");
  EXPECT_EQ(chat.allowed[1].most_epsilon, 0.5);
  EXPECT_EQ(read->profiles[1].options.document_budget->epsilon, 7);
  EXPECT_TRUE(validate(*read));
}

TEST(ConfigReader, AnEmptyFileIsTheDefault) {
  const auto read = parse("# nothing\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->profiles.size(), 1U);
}

struct BadFile {
  const char* text;
  const char* expected;
};

TEST(ConfigReader, SaysWhatIsWrongAndWhere) {
  const std::string deep = "listen: " + std::string(100, '[') + std::string(100, ']');
  const BadFile files[] = {
      {"- a", "line 1: the file is not a map"},
      {"just a word", "line 1: the file is not a map"},
      {"listen: 127.0.0.1:1\nlisten: 127.0.0.1:2", "line 2: 'listen' is given twice"},
      {"? [a]\n: b", "not a word"},
      {"a: &x b\nc: *x", "line 2: aliases are not allowed"},
      {deep.c_str(), "nests deeper than 16 levels"},
      {"a: 1\n---\nb: 2", "more than one document"},
      {"a: [", "line"},
      {"a: 'b", "line"},
      {"listn: 127.0.0.1:1", "line 1: there is no 'listn' (did you mean 'listen'?)"},
      {"ports: 1", "allowed are listen, metrics_listen"},
      {"limits: {bodies_: 1}", "(did you mean 'bodies'?)"},
      {"limits: 5", "limits is not a map"},
      {"limits: [body]", "limits is not a map"},
      {"tls: yes", "tls is not a map"},
      {"tls: {cert: x}", "there is no 'cert' (did you mean 'certificate'?)"},
      {"tls: {key: ''}", "tls.key has no usable value"},
      {"\nlisten:", "line 2"},
      {"listen: {a: b}", "listen is not a list"},
      {"listen: []", "listen is an empty list"},
      {"listen: [[127.0.0.1:1]]", "listen has no usable value"},
      {"listen: 8080", "'8080' is not allowed; give an address and port such as 127.0.0.1:8080"},
      {"listen: example.org:80", "'example.org:80' is not allowed"},
      {"listen: 127.0.0.1:65536", "is not allowed"},
      {"listen: 127.0.0.1:-1", "is not allowed"},
      {"listen: 256.0.0.1:1", "is not allowed"},
      {"listen: \"::1:80\"", "is not allowed"},
      {"listen: \"unix:\"", "the path of a socket has 1 to"},
      {"metrics_listen: x", "metrics_listen: 'x' is not allowed"},
      {"metrics_listen: [a, b]", "metrics_listen has no usable value"},
      {"behind_proxy: maybe", "behind_proxy: 'maybe' is not allowed; give false or true"},
      {"playground: 1", "playground: '1' is not allowed"},
      {"threads: -1", "threads: '-1' is not allowed"},
      {"threads: 9999", "threads: '9999' is not allowed"},
      {"keys_file: ''", "keys_file has no usable value"},
      {"keys_file: {a: b}", "keys_file has no usable value"},
      {"limits: {body: 0}", "limits.body: '0' is not allowed; give a size"},
      {"limits: {body: 5X}", "limits.body: '5X' is not allowed"},
      {"limits: {body: 9999999999999G}", "is not allowed"},
      {"limits: {body: 1.5M}", "is not allowed"},
      {"limits: {texts: 0}", "limits.texts: '0' is not allowed"},
      {"limits: {header_time: 0}", "limits.header_time: '0' is not allowed"},
      {"limits: {header_time: 10s}", "a whole number from 1 to 86400"},
      {"profiles: []", "profiles is not a map"},
      {"profiles: {}", "profiles is empty"},
      {"profiles: {a: 1}", "profile a is not a map"},
      {"profiles: {'a/b': {epsilon: 1}}", "the name of a profile has 1 to 64 letters"},
      {"profiles: {'': {epsilon: 1}}", "the name of a profile has 1 to 64 letters"},
      {"profiles: {a: {}}", "neither epsilon nor document_epsilon"},
      {"profiles:\n  a:\n    epsilon: 1\n    mechanim: tem",
       "line 4: there is no 'mechanim' (did you mean 'mechanism'?)"},
      {"profiles:\n  a:\n    epsilon: much", "line 3: epsilon"},
      {"profiles: {a: {epsilon: '1'}}", "epsilon"},
      {"profiles:\n  a:\n    epsilon: 1\n    oov: keeep", "line 4: oov"},
      {"profiles: {a: {epsilon: 1, seed: 5}}", "seed makes public noise"},
      {"profiles: {a: {epsilon: 1, parameters: [1]}}", "parameters"},
      {"profiles: {a: {epsilon: 1, ledger: spent}}", "ledger is not a map"},
      {"profiles: {a: {epsilon: 1, ledger: {file: l}}}", "ledger needs both file and limit"},
      {"profiles: {a: {epsilon: 1, ledger: {limit: 5}}}", "ledger needs both file and limit"},
      {"profiles: {a: {epsilon: 1, ledger: {file: l, limit: -5}}}", "limit: '-5' is not allowed"},
      {"profiles: {a: {epsilon: 1, ledger: {file: l, limit: .nan}}}", "limit: '.nan' is not allowed"},
      {"profiles: {a: {epsilon: 1, ledger: {file: l, limit: 1, wait: 1e9}}}", "wait: '1e9' is not allowed"},
      {"profiles: {a: {epsilon: 1, ledger: {file: l, limits: 1}}}", "(did you mean 'limit'?)"},
      {"profiles: {a: {epsilon: 1, repeat: never}}", "repeat: 'never' is not allowed"},
      {"profiles: {a: {epsilon: 1, outside: leave}}", "outside: 'leave' is not allowed"},
      {"profiles: {a: {epsilon: 1, allowed: tem}}", "allowed is not a map"},
      {"profiles: {a: {epsilon: 1, allowed: [{mechanism: tem}]}}", "both mechanism and most_epsilon"},
      {"profiles: {a: {epsilon: 1, allowed: [{mechanism: tem, most_epsilon: 0}]}}", "most_epsilon: '0'"},
      {"profiles: {a: {epsilon: 1, allowed: [{mechanism: tem, epsilon: 1}]}}", "there is no 'epsilon'"},
  };
  for (const BadFile& file : files) {
    const auto read = parse(file.text);
    ASSERT_FALSE(read) << file.text;
    EXPECT_THAT(describe(read.error()), HasSubstr(file.expected)) << file.text;
    EXPECT_THAT(describe(read.error()), HasSubstr("serve.yaml: ")) << file.text;
  }
}

TEST(ConfigReader, AFileThatIsNoneIsRefused) {
  EXPECT_FALSE(read_server_config("/nowhere/serve.yaml"));
  const auto device = read_server_config("/dev/zero");
  ASSERT_FALSE(device);
  EXPECT_THAT(describe(device.error()), HasSubstr("not a regular file"));
}

TEST(Validation, OthersReachTheServerOnlyWithTlsAndKeys) {
  ServerConfig config = default_config();
  for (const char* address : {"0.0.0.0:80", "[::]:80", "192.168.1.5:80"}) {
    config = default_config();
    config.listen = {"127.0.0.1:80", address};
    EXPECT_FALSE(validate(config)) << address;
    config.tls = TlsFiles{"c", "k"};
    EXPECT_FALSE(validate(config)) << address;
    config.keys_file = "keys";
    EXPECT_FALSE(validate(config)) << "without the secret";
    config.secret_file = "secret";
    EXPECT_TRUE(validate(config)) << address;
    config.tls.reset();
    EXPECT_FALSE(validate(config)) << address;
    config.behind_proxy = true;
    EXPECT_TRUE(validate(config)) << address;
    config.keys_file.reset();
    config.secret_file.reset();
    EXPECT_FALSE(validate(config)) << address;
  }
}

TEST(Validation, LocalAddressesNeedNothing) {
  for (const char* address : {"127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "localhost:80", "unix:/tmp/s"}) {
    ServerConfig config = default_config();
    config.listen = {address};
    EXPECT_TRUE(validate(config)) << address;
  }
}

TEST(Validation, PartsThatBelongTogether) {
  ServerConfig config = default_config();
  config.metrics_listen = "0.0.0.0:9";
  EXPECT_FALSE(validate(config)) << "figures in clear over the network";
  config = default_config();
  config.tls = TlsFiles{"c", ""};
  EXPECT_FALSE(validate(config));
  config = default_config();
  config.limits.body_bytes = config.limits.bodies_bytes;
  EXPECT_FALSE(validate(config)) << "a body grows by doubling";
  config = default_config();
  config.profiles[0].repeat = Repeat::refuse;
  EXPECT_FALSE(validate(config));
  config.profiles[0].ledger = LedgerOptions{"l", "", 5, 1};
  EXPECT_FALSE(validate(config)) << "a ledger needs a key";
  config.profiles[0].options.key_file = "k";
  EXPECT_TRUE(validate(config));
}

}  // namespace
}  // namespace sotto::server
