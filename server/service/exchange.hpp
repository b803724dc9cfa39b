// What passes between the transport and the service: requests and answers without sockets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::server {

/// Who asks. The name of a key is no secret; the key never gets this far.
struct Caller {
  std::string key_name;               ///< empty: the configuration has no keys
  std::vector<std::string> profiles;  ///< those that the key may use; without keys, all
  bool ledger = false;                ///< may reserve and release in the ledgers of these profiles
  bool metrics = false;               ///< may read /metrics
};

using Header = std::pair<std::string, std::string>;  // the name in lower case

struct Request {
  std::string method;  ///< in upper case
  std::string path;    ///< as sent, without the query
  std::string query;   ///< without its question mark
  std::vector<Header> headers;
  std::string body;
  std::string id;  ///< X-Request-Id: the client's if it is well-formed, otherwise a fresh one
  Caller caller;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::vector<Header> headers;
  std::string body;
};

/// Called exactly once for each request, from any thread.
using Respond = std::function<void(Response)>;

/// A request whose body is read, and answer written, line by line (NDJSON). Its calls block; one thread uses
/// it at a time.
class LineExchange {
 public:
  virtual ~LineExchange() = default;
  /// Appends whole lines, each with its line end (the last may lack one), of about `most` bytes together.
  /// Appends nothing at the end of the body. An error: the client is gone, too slow, or over a limit.
  virtual Result<void> read(std::string& lines, std::size_t most) = 0;
  /// Sends lines. The first call sends status 200 and the headers. An error: the client is gone or too slow.
  virtual Result<void> write(std::string_view lines) = 0;
  /// Instead of the first write(): an answer that is not a stream.
  virtual void refuse(Response response) = 0;
  /// Ends the stream as broken: `line` is sent, then the connection is closed without its proper end.
  virtual void fail(std::string_view line) = 0;
};

/// What a route demands of its caller.
enum class Access {
  open,     ///< nothing
  key,      ///< an API key, if the configuration has any
  metrics,  ///< the listener for metrics, or a key that may read them
};

}  // namespace sotto::server
