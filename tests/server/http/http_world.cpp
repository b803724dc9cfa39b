#include "server/http/http_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/listen_address.hpp"

namespace sotto::server {
namespace {

int connect_to(const std::string& text) {
  const ListenAddress address = parse_listen_address("address", text).value();
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.is_unix()) {
    auto& unix_address = reinterpret_cast<sockaddr_un&>(storage);
    unix_address.sun_family = AF_UNIX;
    std::copy(address.path.begin(), address.path.end(), unix_address.sun_path);
    size = sizeof unix_address;
  } else if (address.host.find(':') != std::string::npos) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    ::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    size = sizeof v6;
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    ::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
    size = sizeof v4;
  }
  const int descriptor = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&storage), size) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Access FakeService::access(const Request& request) const {
  if (request.path == "/healthz") return Access::open;
  return request.path == "/metrics" ? Access::metrics : Access::key;
}

std::string FakeService::route(const Request& request) const {
  static const std::vector<std::string> kRoutes = {"/fast",  "/echo",  "/slow",    "/drop",
                                                   "/throw", "/lines", "/healthz", "/metrics"};
  return std::find(kRoutes.begin(), kRoutes.end(), request.path) == kRoutes.end() ? "" : request.path;
}

void FakeService::handle(Request request, Respond respond) {
  ++handled_;
  const std::string path = request.path;
  Response response;
  response.content_type = "text/plain";
  response.body = path == "/echo" ? request.body : "ok";
  if (route(request).empty()) response.status = 404;
  {
    const std::lock_guard lock(mutex_);
    last_ = std::move(request);
    if (path == "/slow") slow_.push_back(respond);
  }
  changed_.notify_all();
  if (path == "/throw") throw std::runtime_error("a fault");
  if (path != "/slow" && path != "/drop") respond(std::move(response));
}

void FakeService::handle_lines(const Request& request, LineExchange& exchange) {
  if (request.query == "throw") throw std::runtime_error("a fault");
  if (request.query == "silent") return;
  if (request.query == "refuse") return exchange.refuse({422, "text/plain", {}, "no"});
  std::string lines;
  while (true) {
    lines.clear();
    if (const auto read = exchange.read(lines, 1 << 16); !read) {
      exchange.fail("{\"error\": \"reading\"}\n");
      return;
    }
    if (lines.empty()) return;
    if (lines.find("break") != std::string::npos) return exchange.fail("{\"error\": \"broken\"}\n");
    if (!exchange.write("<" + lines)) return;
  }
}

void FakeService::drain() {
  drained_ = true;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(5), [&] { return slow_.empty(); });
}

void FakeService::release() {
  std::vector<Respond> slow;
  {
    const std::lock_guard lock(mutex_);
    slow.swap(slow_);
  }
  for (const Respond& respond : slow) respond({200, "text/plain", {}, "late"});
  changed_.notify_all();
}

std::size_t FakeService::waiting() {
  const std::lock_guard lock(mutex_);
  return slow_.size();
}

Request FakeService::last() {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::string Answer::header(const std::string& name) const {
  const std::size_t at = lower_case(head).find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

Client::Client(const std::string& address) : descriptor_(connect_to(address)) {}

Client::Client(Client&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), received_(std::move(other.received_)) {}

Client::~Client() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool Client::fill(double seconds) {
  pollfd waited{descriptor_, POLLIN, 0};
  if (::poll(&waited, 1, static_cast<int>(seconds * 1000)) != 1) return false;
  char part[65536];
  const ssize_t got = ::recv(descriptor_, part, sizeof part, 0);
  if (got <= 0) return false;
  received_.append(part, static_cast<std::size_t>(got));
  return true;
}

Answer Client::receive(bool of_head) {
  Answer answer;
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return answer;
  answer.head = received_.substr(0, end + 4);
  received_.erase(0, end + 4);
  answer.status = static_cast<unsigned>(std::stoul(answer.head.substr(9, 3)));
  if (answer.status == 100 || of_head) return answer;
  if (answer.header("transfer-encoding") == "chunked") {
    while (true) {
      while (received_.find("\r\n") == std::string::npos)
        if (!fill()) return answer;
      const std::size_t size = std::stoul(received_, nullptr, 16);
      received_.erase(0, received_.find("\r\n") + 2);
      while (received_.size() < size + 2)
        if (!fill()) return answer;
      answer.body.append(received_, 0, size);
      received_.erase(0, size + 2);
      answer.complete = size == 0;
      if (size == 0) return answer;
    }
  }
  const std::string length = answer.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (received_.size() < size)
    if (!fill()) return answer;
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  answer.complete = true;
  return answer;
}

Answer Client::get(const std::string& path, const std::string& headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  return receive();
}

Answer Client::post(const std::string& path, std::string_view body, const std::string& headers) {
  send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
       "\r\n" + headers + "\r\n" + std::string(body));
  return receive();
}

std::string Client::rest(double seconds) {
  while (fill(seconds)) {
  }
  return std::exchange(received_, {});
}

bool Client::is_closed(double seconds) {
  pollfd waited{descriptor_, POLLIN, 0};
  char byte = 0;
  return ::poll(&waited, 1, static_cast<int>(seconds * 1000)) == 1 && ::recv(descriptor_, &byte, 1, 0) <= 0;
}

void Client::end_output() {
  ::shutdown(descriptor_, SHUT_WR);
}

HttpWorld::HttpWorld() {
  config_.listen = {"127.0.0.1:0"};
  config_.threads = 2;
  config_.limits.drain_time = std::chrono::seconds(3);
}

void HttpWorld::start() {
  auto started = HttpServer::start(config_, service_, [this](std::string_view lines) {
    const std::lock_guard lock(mutex_);
    log_ += lines;
  });
  ASSERT_TRUE(started) << started.error().message;
  server_ = std::move(*started);
  addresses_ = server_->addresses();
}

std::string HttpWorld::log() {
  const std::lock_guard lock(mutex_);
  return log_;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

}  // namespace sotto::server
