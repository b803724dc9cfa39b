// A socket that accepts connections.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>

#include <sotto/result.hpp>

#include "config/listen_address.hpp"
#include "http/transport_state.hpp"

namespace sotto::server {

class Listener {
 public:
  /// Binds and listens. A unix socket that a dead process left behind is replaced.
  static Result<std::unique_ptr<Listener>> open(Loop& loop, const ListenAddress& address,
                                                ListenerTraits traits);
  ~Listener();

  /// As one writes it, with the real port.
  std::string name() const;
  const ListenAddress& address() const { return address_; }
  ListenerTraits traits() const { return traits_; }

  /// The loop of the next connection, and what becomes of it.
  using NextLoop = std::function<Loop&()>;
  using Accept = std::function<void(Socket socket, Loop& loop, Listener& listener)>;
  /// Accepts until it is closed. Without free descriptors it tries again a little later.
  Task<void> run(NextLoop next_loop, Accept accept, std::function<void(std::string_view)> note);
  /// On the loop's thread.
  void close();

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol, LoopExecutor>;
  Listener(Loop& loop, ListenAddress address, ListenerTraits traits);

  Loop& loop_;
  ListenAddress address_;
  const ListenerTraits traits_;
  Acceptor acceptor_;
  bool owns_path_ = false;
};

}  // namespace sotto::server
