// Lets a thread that may block exchange lines over a connection, whose loop may not.
#pragma once

#include <optional>

#include "http/connection.hpp"

namespace sotto::server {

/// What became of the answer.
enum class StreamState {
  fresh,    ///< nothing was sent
  refused,  ///< another answer is to be sent instead
  open,     ///< lines were sent, and the end is missing
  broken,   ///< it ends here, visibly incomplete
};

class LineBridge final : public LineExchange {
 public:
  explicit LineBridge(Connection& connection) : connection_(connection) {}

  Result<void> read(std::string& lines, std::size_t most) override;
  Result<void> write(std::string_view lines) override;
  void refuse(Response response) override;
  void fail(std::string_view line) override;

  /// To be asked once the thread has ended.
  StreamState state() const { return state_; }
  Response take_refusal() { return std::move(refusal_); }

 private:
  Connection& connection_;
  StreamState state_ = StreamState::fresh;
  Response refusal_;
};

}  // namespace sotto::server
