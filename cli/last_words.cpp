#include "last_words.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <gmp.h>
#include <sodium.h>
#include <unistd.h>

namespace sotto::cli {
namespace {

/// Uses only write() and _exit(): this runs in signal handlers and when memory is short.
void write_line(const char* message) {
  const char* const parts[] = {"sotto: ", message, "\n"};
  for (const char* part : parts)
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

[[noreturn]] void end_with(const char* message) {
  write_line(message);
  ::_exit(kFailed);
}

/// A page of a mapped file is missing: the file was truncated, or the disk cannot read it. Which file it is
/// cannot be determined here; only models, phrase tables and the like are mapped. Any other cause of this
/// signal is a bug and ends the program as usual, with a core dump if the user wants one.
void on_bus_error(int signal, siginfo_t* information, void*) {
  if (information->si_code == BUS_ADRERR)
    end_with("a file that is in use, most likely a model, was truncated or can no longer be read");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void on_terminate() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      end_with("out of memory");
    } catch (const std::exception& error) {
      end_with(error.what());
    } catch (...) {
    }
  }
  end_with("ended by an unknown error");
}

// Libraries construct objects before main() starts, and a failed allocation there is an exception that
// nothing can catch. Functions in this section run before those of all libraries.
__attribute__((section(".preinit_array"), used)) void (*const before_everything)() = [] {
  std::set_terminate(on_terminate);
};

/// GMP, which MPFR is built on, does not handle a failed allocation: it aborts unless these functions do not
/// return.
void* allocate_number(std::size_t size) {
  if (void* const memory = std::malloc(size)) return memory;
  end_with("out of memory");
}

void* reallocate_number(void* old, std::size_t, std::size_t size) {
  if (void* const memory = std::realloc(old, size)) return memory;
  end_with("out of memory");
}

void free_number(void* memory, std::size_t) {
  std::free(memory);
}

}  // namespace

void say_out_of_memory() {
  write_line("out of memory");
}

void prepare_last_words() {
  mp_set_memory_functions(allocate_number, reallocate_number, free_number);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
  // libsodium calls this when it cannot continue, above all when there are no random bytes, and aborts if it
  // returns. It never falls back to weak ones.
  sodium_set_misuse_handler([] { end_with("the operating system provides no random bytes"); });
}

}  // namespace sotto::cli
