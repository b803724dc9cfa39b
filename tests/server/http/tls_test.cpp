#include <fstream>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <sotto/error_text.hpp>

#include "server/http/http_world.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::server {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;

/// A certificate for localhost, signed by itself.
void write_certificate(const TlsFiles& files) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"),
                             -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const std::unique_ptr<FILE, decltype(&std::fclose)> out(std::fopen(files.certificate.c_str(), "w"),
                                                          std::fclose);
  PEM_write_X509(out.get(), certificate.get());
  const std::unique_ptr<FILE, decltype(&std::fclose)> key_out(std::fopen(files.key.c_str(), "w"),
                                                              std::fclose);
  PEM_write_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::filesystem::permissions(files.key, std::filesystem::perms(0600));
}

class TlsTest : public HttpWorld {
 protected:
  TlsTest() {
    write_certificate(files_);
    config_.tls = files_;
  }
  tcp::endpoint endpoint() const {
    const std::string& text = address();
    return {asio::ip::make_address("127.0.0.1"),
            static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)))};
  }
  /// The answer to `request`; empty if there is no connection.
  std::string ask(ssl::context& context, const std::string& request) {
    asio::io_context io;
    ssl::stream<tcp::socket> stream(io, context);
    boost::system::error_code error;
    stream.lowest_layer().connect(endpoint(), error);
    stream.handshake(ssl::stream_base::client, error);
    if (error) return "";
    asio::write(stream, asio::buffer(request), error);
    std::string answer;
    asio::read(stream, asio::dynamic_buffer(answer), error);
    return answer;
  }

  testing::TemporaryFolder folder_;
  TlsFiles files_{folder_.path() / "certificate.pem", folder_.path() / "key.pem"};
};

const std::string kLast = "GET /fast HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

TEST_F(TlsTest, RequestsAreAnsweredUnderTheCertificate) {
  start();
  ssl::context context(ssl::context::tls_client);
  context.load_verify_file(files_.certificate.string());
  context.set_verify_mode(ssl::verify_peer);
  const std::string answer =
      ask(context, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" +
                       std::string(100'000, 'x') + kLast);
  EXPECT_NE(answer.find(std::string(100'000, 'x')), std::string::npos);
  EXPECT_TRUE(answer.ends_with("ok"));
}

TEST_F(TlsTest, StreamsAndLargeBodiesToo) {
  start();
  ssl::context context(ssl::context::tls_client);
  const std::string answer =
      ask(context,
          "POST /lines HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nConnection: close\r\n\r\none\n");
  EXPECT_NE(answer.find("<one\n\r\n0\r\n\r\n"), std::string::npos);
}

TEST_F(TlsTest, OldVersionsAndOtherProtocolsAreRefused) {
  start();
  ssl::context old(ssl::context::tls_client);
  SSL_CTX_set_security_level(old.native_handle(), 0);
  SSL_CTX_set_max_proto_version(old.native_handle(), TLS1_1_VERSION);
  EXPECT_EQ(ask(old, kLast), "");
  ssl::context h2(ssl::context::tls_client);
  SSL_CTX_set_alpn_protos(h2.native_handle(), reinterpret_cast<const unsigned char*>("\x02h2"), 3);
  EXPECT_EQ(ask(h2, kLast), "");
  ssl::context both(ssl::context::tls_client);
  SSL_CTX_set_alpn_protos(both.native_handle(), reinterpret_cast<const unsigned char*>("\x02h2\x08http/1.1"),
                          12);
  EXPECT_NE(ask(both, kLast), "");
}

TEST_F(TlsTest, PlainAndSilentClientsEnd) {
  config_.limits.header_time = std::chrono::seconds(1);
  start();
  Client plain = client(), silent = client();
  plain.send(kLast);
  EXPECT_EQ(plain.rest().find("HTTP/1.1 200"), std::string::npos);
  EXPECT_TRUE(silent.is_closed(3));
}

TEST_F(TlsTest, ANewCertificateIsTakenWithoutARestart) {
  start();
  write_certificate(files_);
  ssl::context context(ssl::context::tls_client);
  context.load_verify_file(files_.certificate.string());
  context.set_verify_mode(ssl::verify_peer);
  EXPECT_EQ(ask(context, kLast), "") << "still the old one";
  server_->reload();
  EXPECT_NE(ask(context, kLast), "");
  std::ofstream(files_.key) << "broken";
  server_->reload();
  EXPECT_NE(ask(context, kLast), "");
}

TEST_F(TlsTest, FilesThatDoNotFitAreNamed) {
  const TlsFiles other{folder_.path() / "other.pem", folder_.path() / "other.key"};
  write_certificate(other);
  const auto named = [&](const TlsFiles& files) {
    config_.tls = files;
    const auto started = HttpServer::start(config_, service_, [](std::string_view) {});
    return started ? std::string() : describe(started.error());
  };
  EXPECT_NE(named({files_.certificate, other.key}).find("other.key as a private key: key values mismatch"),
            std::string::npos);
  std::filesystem::permissions(other.key, std::filesystem::perms(0644));
  EXPECT_NE(named(other).find("other.key is open to other users"), std::string::npos);
  EXPECT_NE(named({"/nowhere", files_.key}).find("tls.certificate: cannot use /nowhere"), std::string::npos);
  EXPECT_NE(named({files_.certificate, "/nowhere"}).find("tls.key: cannot use /nowhere"), std::string::npos);
}

}  // namespace
}  // namespace sotto::server
