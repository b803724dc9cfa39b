#include "service/routes/privatize_lines.hpp"

#include <deque>
#include <future>
#include <new>

#include "service/json_writer.hpp"
#include "service/privatize_texts.hpp"
#include "service/query.hpp"

namespace sotto::server {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 18;
constexpr std::array<std::string_view, 3> kLineMembers = {"text", "id", "subject"};
constexpr std::array<std::string_view, 3> kQueryMembers = {"profile", "mechanism", "epsilon"};
constexpr std::array<std::string_view, 1> kQueryNumbers = {"epsilon"};

/// A number of lines that were read; the texts refer to the others.
struct Part {
  std::vector<JsonObject> objects;
  std::deque<std::string> drawn_ids;
  std::vector<TextToPrivatize> texts;
};

Outcome<void> read_line(std::string_view line, Part& part) {
  SOTTO_ASSIGN(auto object, JsonObject::parse(line, kLineMembers));
  SOTTO_ASSIGN(const auto text, object.text("text"));
  SOTTO_ASSIGN(const auto id, object.text("id"));
  SOTTO_ASSIGN(const auto subject, object.text("subject"));
  if (!text) return unprocessable("text is missing", "text");
  if (!id) part.drawn_ids.push_back(fresh_ids(1).front());
  part.texts.push_back({*text, id ? *id : std::string_view(part.drawn_ids.back()), subject.value_or("")});
  part.objects.push_back(std::move(object));
  return {};
}

class LineStream {
 public:
  LineStream(ServiceState& state, const Request& request, LineExchange& exchange)
      : state_(state), request_(request), exchange_(exchange) {}

  Outcome<void> run() {
    SOTTO_TRY(open());
    std::string lines;
    while (true) {
      lines.clear();
      SOTTO_TRY(exchange_.read(lines, kPartBytes));
      if (lines.empty()) break;
      SOTTO_TRY(take(lines));
    }
    std::string last = R"({"receipt":)" + *queue_->receipts().of(counts_, ledger_) + ",\"done\":true}\n";
    return write(last);
  }

  bool has_answered() const { return has_answered_; }

 private:
  Outcome<void> open() {
    SOTTO_ASSIGN(const JsonObject options, object_of_query(request_.query, kQueryMembers, kQueryNumbers));
    SOTTO_ASSIGN(const auto name, options.text("profile"));
    SOTTO_ASSIGN(profile_, state_.profiles->find(request_.caller, name));
    SOTTO_ASSIGN(const auto choice, profile_->choice(options));
    std::promise<Outcome<std::shared_ptr<RewriteQueue>>> opened;
    with_queue(state_, *profile_, choice, [&](auto queue) { opened.set_value(std::move(queue)); });
    SOTTO_ASSIGN(queue_, opened.get_future().get());
    return {};
  }

  Outcome<void> take(std::string_view lines) {
    auto part = std::make_shared<Part>();
    while (!lines.empty()) {
      std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      ++line_;
      if (auto read = read_line(line, *part); !read) return at_line(line_, std::move(read.error()));
      if (part->texts.size() < state_.config.limits.texts) continue;
      SOTTO_TRY(release(*part));
      part = std::make_shared<Part>();
    }
    return part->texts.empty() ? Outcome<void>() : release(*part);
  }

  /// Waits until the part is rewritten and charged, and sends it.
  Outcome<void> release(const Part& part) {
    SOTTO_TRY(check_texts(state_.config.limits, *profile_, part.texts));
    PrivatizeJob job{dataset_of(request_.caller, *profile_), part.texts, {}, {}, {}};
    SOTTO_ASSIGN(job.share, state_.load.take(job.bytes()));
    std::promise<Outcome<Privatized>> finished;
    job.done = [&](Outcome<Privatized> privatized) { finished.set_value(std::move(privatized)); };
    queue_->push(std::move(job));
    SOTTO_ASSIGN(const Privatized privatized, finished.get_future().get());
    counts_ += privatized.counts;
    ledger_ = privatized.ledger;
    state_.metrics.count(profile_->profile().name, queue_->unit(), queue_->epsilon_of(privatized.counts),
                         privatized.counts);
    std::string answer;
    for (std::size_t i = 0; i < part.texts.size(); ++i) append(answer, part.texts[i].id, privatized.texts[i]);
    return write(answer);
  }

  static void append(std::string& answer, std::string_view id, const PrivatizedText& text) {
    answer += R"({"text":)";
    if (text.release == Release::released)
      append_json(answer, text.text);
    else
      answer += "null";
    answer += R"(,"id":)";
    append_json(answer, id);
    if (text.release == Release::withheld) answer += R"(,"withheld":true)";
    if (text.release == Release::refused) answer += R"(,"refused":true)";
    answer += "}\n";
  }

  Outcome<void> write(std::string_view lines) {
    has_answered_ = true;
    SOTTO_TRY(exchange_.write(lines));
    return {};
  }

  static tl::unexpected<Failure> at_line(std::uint64_t line, Failure failure) {
    failure.message = "line " + std::to_string(line) + ": " + failure.message;
    return tl::unexpected(std::move(failure));
  }

  ServiceState& state_;
  const Request& request_;
  LineExchange& exchange_;
  OpenProfile* profile_ = nullptr;
  std::shared_ptr<RewriteQueue> queue_;
  std::uint64_t line_ = 0;
  Counts counts_;
  std::optional<LedgerReceipt> ledger_;
  bool has_answered_ = false;
};

Outcome<void> run(LineStream& stream) {
  try {
    return stream.run();
  } catch (const std::bad_alloc&) {
    return unavailable("there is not enough memory for this");
  }
}

}  // namespace

unsigned privatize_lines(ServiceState& state, const Request& request, LineExchange& exchange) {
  LineStream stream(state, request, exchange);
  const auto ended = run(stream);
  if (ended) return 200;
  if (stream.has_answered())
    exchange.fail(to_json(ended.error()) + "\n");
  else
    exchange.refuse(response_of(ended.error()));
  return ended.error().status;
}

}  // namespace sotto::server
