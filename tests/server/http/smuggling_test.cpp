// Requests on whose end a proxy and a server could disagree. Each is refused, and nothing after it is read as
// a request.
#include <gtest/gtest.h>

#include "server/http/http_world.hpp"

namespace sotto::server {
namespace {

struct Shape {
  const char* name;
  std::string bytes;
  unsigned status;
};

const std::string kNext = "GET /fast HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post_with(const std::string& headers, const std::string& body) {
  return "POST /echo HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body + kNext;
}

const std::string kChunked = "Transfer-Encoding: chunked\r\n";

const Shape kShapes[] = {
    {"both lengths", post_with("Content-Length: 4\r\n" + kChunked, "0\r\n\r\n"), 400},
    {"both, the other way", post_with(kChunked + "Content-Length: 4\r\n", "0\r\n\r\n"), 400},
    {"two lengths", post_with("Content-Length: 4\r\nContent-Length: 5\r\n", "abcde"), 400},
    {"the same length twice", post_with("Content-Length: 4\r\nContent-Length: 4\r\n", "abcd"), 400},
    {"a list of lengths", post_with("Content-Length: 4, 4\r\n", "abcd"), 400},
    {"a signed length", post_with("Content-Length: +4\r\n", "abcd"), 400},
    {"a negative length", post_with("Content-Length: -1\r\n", "abcd"), 400},
    {"a hexadecimal length", post_with("Content-Length: 0x4\r\n", "abcd"), 400},
    {"a huge length", post_with("Content-Length: 99999999999999999999999\r\n", "abcd"), 400},
    {"an empty length", post_with("Content-Length: \r\n", "abcd"), 400},
    {"space before the colon", post_with("Content-Length : 4\r\n", "abcd"), 400},
    {"another encoding", post_with("Transfer-Encoding: gzip\r\n", "abcd"), 400},
    {"identity", post_with("Transfer-Encoding: identity\r\nContent-Length: 4\r\n", "abcd"), 400},
    {"identity alone", post_with("Transfer-Encoding: identity\r\n", ""), 400},
    {"two encodings", post_with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400},
    {"chunked and more", post_with("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400},
    {"chunked twice", post_with(kChunked + kChunked, "0\r\n\r\n"), 400},
    {"a misspelled encoding", post_with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400},
    {"a quoted encoding", post_with("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), 400},
    {"a vertical tab",
     post_with("Transfer-Encoding: \x0b"
               "chunked\r\n",
               "0\r\n\r\n"),
     400},
    {"a folded encoding", post_with("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400},
    {"a bare LF", "POST /echo HTTP/1.1\nHost: localhost\n\n" + kNext, 400},
    {"a bare LF in a header", post_with("A: b\nContent-Length: 4\r\n", "abcd"), 400},
    {"a bare CR", post_with("A: b\rContent-Length: 4\r\n", "abcd"), 400},
    {"a zero byte", post_with(std::string("A: b\0\r\n", 7), ""), 400},
    {"no colon", post_with("Header\r\n", ""), 400},
    {"an empty name", post_with(": x\r\n", ""), 400},
    {"a bad chunk size", post_with(kChunked, "zz\r\nabc\r\n0\r\n\r\n"), 400},
    {"a chunk size with 0x", post_with(kChunked, "0x3\r\nabc\r\n0\r\n\r\n"), 400},
    {"a signed chunk size", post_with(kChunked, "+3\r\nabc\r\n0\r\n\r\n"), 400},
    {"space before a chunk size", post_with(kChunked, " 3\r\nabc\r\n0\r\n\r\n"), 400},
    {"an overflowing chunk size", post_with(kChunked, "10000000000000003\r\nabc\r\n0\r\n\r\n"), 400},
    {"a chunk longer than its size", post_with(kChunked, "2\r\nabc\r\n0\r\n\r\n"), 400},
    {"a chunk ended by LF", post_with(kChunked, "3\nabc\n0\n\n"), 400},
    {"no host", "GET /fast HTTP/1.1\r\n\r\n" + kNext, 400},
    {"two hosts", "GET /fast HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"a host with a path", "GET /fast HTTP/1.1\r\nHost: localhost/x\r\n\r\n" + kNext, 400},
    {"a host with a user", "GET /fast HTTP/1.1\r\nHost: a@localhost\r\n\r\n" + kNext, 400},
    {"another authority", "GET http://evil.example/fast HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"no path", "GET fast HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"an authority", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"an asterisk", "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"a fragment", "GET /fast#x HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"two spaces", "GET  /fast HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"a space in the target", "GET /fa st HTTP/1.1\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"HTTP/0.9", "GET /fast\r\n\r\n" + kNext, 400},
    {"HTTP/2.0", "GET /fast HTTP/2.0\r\nHost: localhost\r\n\r\n" + kNext, 400},
    {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + kNext, 400},
    {"an empty line first", "\r\n\r\n" + kNext, 400},
    {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + kNext, 400},
    {"chunks in HTTP/1.0", "POST /echo HTTP/1.0\r\nHost: localhost\r\n" + kChunked + "\r\n0\r\n\r\n" + kNext,
     400},
};

class SmugglingTest : public HttpWorld {};

TEST_F(SmugglingTest, EachShapeIsRefusedAndTheConnectionEnds) {
  start();
  for (const Shape& shape : kShapes) {
    const std::size_t before = service_.handled();
    Client client = this->client();
    client.send(shape.bytes);
    client.end_output();
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, shape.status) << shape.name;
    EXPECT_EQ(answer.header("connection"), "close") << shape.name;
    EXPECT_EQ(client.rest(), "") << shape.name;
    EXPECT_EQ(service_.handled(), before) << shape.name;
  }
  EXPECT_EQ(client().get("/fast").status, 200U);
}

TEST_F(SmugglingTest, TrailersAddNothingToTheRequest) {
  start();
  Client client = this->client();
  client.send(post_with(kChunked, "3\r\nabc\r\n0\r\nX-API-Key: k\r\nX-Extra: y\r\n\r\n"));
  EXPECT_EQ(client.receive().body, "abc");
  EXPECT_EQ(client.receive().body, "ok");
  for (const auto& [name, value] : service_.last().headers) EXPECT_NE(name, "x-extra");
}

TEST_F(SmugglingTest, TheAbsoluteFormOfTheSameHostIsAPath) {
  start();
  Client client = this->client();
  client.send("GET http://LOCALHOST/fast?x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200U);
  EXPECT_EQ(service_.last().path, "/fast");
  EXPECT_EQ(service_.last().query, "x");
}

}  // namespace
}  // namespace sotto::server
