// The C interface on top of the public C++ one: texts are copied out, and errors become a status and the
// thread's last error.
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sotto/error_text.hpp>
#include <sotto/explain.hpp>
#include <sotto/options_json.hpp>
#include <sotto/privatizer.hpp>
#include <sotto/sotto.h>
#include <sotto/version.hpp>

#include "base/as_result.hpp"
#include "base/json.hpp"

struct sotto_privatizer {
  std::unique_ptr<sotto::Privatizer> privatizer;
  std::mutex mutex;
  sotto::Counts counts;  // since it was opened
};

namespace {

using namespace sotto;

thread_local std::string last_error;

const char* name_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::not_found:
      return "not_found";
    case Errc::io:
      return "io";
    case Errc::bad_format:
      return "bad_format";
    case Errc::limit:
      return "limit";
    case Errc::interrupted:
      return "interrupted";
    case Errc::closed_pipe:
      return "closed_pipe";
  }
  return "";
}

int status_of(Errc code) {
  return static_cast<int>(code) + 1;  // SOTTO_INVALID_ARGUMENT is the first
}
static_assert(static_cast<int>(Errc::invalid_argument) + 1 == SOTTO_INVALID_ARGUMENT);
static_assert(static_cast<int>(Errc::closed_pipe) + 1 == SOTTO_CLOSED_PIPE);

/// Runs `body` and stores its error for sotto_last_error().
template <class Body>
int call(const Body& body) {
  const Result<void> done = base::as_result(body);
  if (done) return SOTTO_OK;
  const Error& error = done.error();
  try {
    last_error = base::json_line({{"code", name_of(error.code)},
                                  {"parameter", error.parameter},
                                  {"value", error.value},
                                  {"message", describe(error)}});
  } catch (const std::exception&) {  // no memory left for details
    last_error.clear();
  }
  return status_of(error.code);
}

std::string_view view(const sotto_text& text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

Document document_of(const sotto_document& document) {
  return {{view(document.dataset), view(document.id), view(document.field)}, view(document.text)};
}

/// A copy that the caller owns.
sotto_text copied(std::string_view text) {
  char* const data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) throw std::bad_alloc();
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  return {data, text.size()};
}

/// Hands over all outputs or none.
void hand_over(std::span<const std::string> texts, sotto_text* outputs) {
  std::size_t done = 0;
  try {
    for (; done < texts.size(); ++done) outputs[done] = copied(texts[done]);
  } catch (const std::bad_alloc&) {
    while (done > 0) {
      --done;
      sotto_free(outputs[done].data);
      outputs[done] = {nullptr, 0};
    }
    throw;
  }
}

void add(sotto_privatizer& privatizer, const Counts& counts) {
  const std::lock_guard lock(privatizer.mutex);
  privatizer.counts += counts;
}

}  // namespace

extern "C" {

const char* sotto_version(void) {
  return library_version();
}

int sotto_open(const char* options_json, sotto_privatizer** privatizer) {
  return call([&]() -> Result<void> {
    SOTTO_ASSIGN(const PrivatizeOptions options, privatize_options_from_json(options_json));
    auto opened = std::make_unique<sotto_privatizer>();
    SOTTO_ASSIGN(opened->privatizer, Privatizer::make(options));
    *privatizer = opened.release();
    return {};
  });
}

void sotto_close(sotto_privatizer* privatizer) {
  delete privatizer;
}

int sotto_privatize(sotto_privatizer* privatizer, const sotto_document* document, sotto_text* output) {
  return call([&]() -> Result<void> {
    const Document given = document_of(*document);
    Counts counts;
    SOTTO_ASSIGN(const std::string text, privatizer->privatizer->privatize(given.name, given.text, counts));
    *output = copied(text);
    add(*privatizer, counts);
    return {};
  });
}

int sotto_privatize_batch(sotto_privatizer* privatizer, const sotto_document* documents, size_t count,
                          unsigned threads, sotto_text* outputs) {
  return call([&]() -> Result<void> {
    std::vector<Document> given;
    given.reserve(count);
    for (std::size_t i = 0; i < count; ++i) given.push_back(document_of(documents[i]));
    std::vector<std::string> texts(count);
    Counts counts;
    SOTTO_TRY(privatizer->privatizer->privatize(given, texts, counts, {.threads = threads}));
    hand_over(texts, outputs);
    add(*privatizer, counts);
    return {};
  });
}

int sotto_receipt_json(sotto_privatizer* privatizer, sotto_text* json) {
  return call([&] {
    const std::lock_guard lock(privatizer->mutex);
    *json = copied(to_json(privatizer->privatizer->receipt(privatizer->counts)));
  });
}

int sotto_explain_json(sotto_text word, const char* options_json, sotto_text* json) {
  return call([&]() -> Result<void> {
    SOTTO_ASSIGN(const ExplainOptions options, explain_options_from_json(options_json));
    SOTTO_ASSIGN(const Explanation explanation, explain(view(word), options));
    *json = copied(to_json(explanation));
    return {};
  });
}

int sotto_mechanisms_json(sotto_text* json) {
  return call([&] { *json = copied(to_json(mechanisms())); });
}

const char* sotto_last_error(void) {
  return last_error.c_str();
}

void sotto_free(const char* data) {
  std::free(const_cast<char*>(data));
}

}  // extern "C"
