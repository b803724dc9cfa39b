// One connection: requests one after another, until either side ends it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/parser.hpp>

#include "http/request_head.hpp"
#include "http/transport_state.hpp"

namespace sotto::server {

/// A body in memory that grows as it arrives, whatever length was announced.
struct GrowingBody {
  using value_type = std::string;
  class reader {
   public:
    template <class Header>
    reader(Header&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      const std::size_t before = body_.size();
      for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at)
        body_.append(static_cast<const char*>(asio::const_buffer(*at).data()),
                     asio::const_buffer(*at).size());
      return body_.size() - before;
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

/// All its functions run on the thread of its loop.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(TransportState& state, Loop& loop, std::unique_ptr<ByteStream> stream, ListenerTraits traits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  /// On its loop's thread, or once that has ended.
  ~Connection();

  Task<void> run();
  void close_if_idle();
  void abort();

  /// For the request under way, of which line_bridge.cpp answers line by line.
  Task<Result<void>> read_lines(std::string* lines, std::size_t most);
  Task<Result<void>> write_lines(std::string_view lines, bool first);
  LoopExecutor executor() const { return loop_.context.get_executor(); }

 private:
  struct Exchange;

  Task<bool> serve_one();
  Task<bool> read_head(std::optional<Refusal>* refusal);
  std::optional<Refusal> parse_head(std::size_t size);
  void note_request();
  std::optional<Refusal> admit();
  std::optional<Refusal> check_caller();
  Task<bool> read_body(std::optional<Refusal>* refusal);
  Task<IoResult> read_body_part(std::optional<Refusal>* refusal);
  std::optional<Refusal> parse_body_part(bool* wants_more);
  Task<bool> invite_body();
  Task<void> answer();
  Task<void> answer_lines();
  Task<Response> ask_service();
  Task<bool> run_stream(class LineBridge* bridge);
  Task<void> send(Response response);
  Task<IoResult> write(std::string_view head, std::string_view body);
  Task<IoResult> fill(std::size_t most);
  Task<void> finish();
  std::string response_head(const Response& response, std::string_view framing);
  void log_exchange();

  TransportState& state_;
  Loop& loop_;
  std::unique_ptr<ByteStream> stream_;
  const ListenerTraits traits_;
  std::string buffer_;  // received, and not yet taken
  std::unique_ptr<Exchange> exchange_;
  bool idle_ = true;
  bool served_ = false;  // until then, a client has to hurry
  bool ending_ = false;  // after this exchange
};

}  // namespace sotto::server
