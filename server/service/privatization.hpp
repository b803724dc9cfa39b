// The texts of one request on their way through a mechanism.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/ledger.hpp>
#include <sotto/receipt.hpp>

#include "service/failure.hpp"
#include "service/load.hpp"

namespace sotto::server {

struct TextToPrivatize {
  std::string_view text;
  std::string_view id;
  std::string_view subject;  ///< empty without a ledger
};

enum class Release {
  released,
  withheld,  ///< it would exceed its subject's limit
  refused,   ///< a document came under this id before
};

/// What a subject has spent, after this request.
struct Spending {
  NanoEpsilon spent = 0;
  NanoEpsilon remaining = 0;
};

struct PrivatizedText {
  Release release = Release::withheld;
  std::string text;                  ///< empty unless released
  std::optional<Spending> spending;  ///< of its subject; empty without a ledger
};

struct Privatized {
  std::vector<PrivatizedText> texts;  ///< in the order of the request
  Counts counts;
  std::optional<LedgerReceipt> ledger;
};

struct PrivatizeJob {
  std::string dataset;
  std::vector<TextToPrivatize> texts;
  std::shared_ptr<const void> owner;  ///< of what the texts refer to
  std::shared_ptr<Load::Share> share;
  /// Called exactly once. A failure means that no text may be answered.
  std::function<void(Outcome<Privatized>)> done;

  /// Calls it. Who has an answer may ask again, so the texts no longer count as waiting.
  void answer(Outcome<Privatized> privatized) const {
    share->put_back();
    done(std::move(privatized));
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const TextToPrivatize& text : texts) sum += text.text.size();
    return sum;
  }
};

}  // namespace sotto::server
