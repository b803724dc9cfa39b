// Preloaded into the program (LD_PRELOAD), makes the n-th call of a function fail or fall short:
//   SOTTO_FAULT_CALL    the function, one of kNames below
//   SOTTO_FAULT_AT      n, from 1; 0 or absent: none fails
//   SOTTO_FAULT_ERRNO   the errno of the failure; "short": the call does part of its work;
//                       "always" before a number (always28): every call from the n-th on fails
//   SOTTO_FAULT_COUNTS  where to write the number of calls of each on exit: lines "name count"
//   SOTTO_FAULT_GETENV  where to write the names passed to getenv(), one per line
// Calls that the C library makes internally are not intercepted; those of the program, its library and other
// libraries are. Counting starts with the first call after the dynamic loader has finished with this library,
// so it includes what happens before main().
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

enum Call : int {
  kOpen,
  kRead,
  kPread,
  kWrite,
  kPwrite,
  kFsync,
  kRename,
  kLink,
  kTruncate,
  kMmap,
  kMalloc,
  kGetrandom,
  kCalls
};
constexpr const char* kNames[kCalls] = {"open",   "read", "pread",     "write", "pwrite", "fsync",
                                        "rename", "link", "ftruncate", "mmap",  "malloc", "getrandom"};

std::atomic<long> counts[kCalls];
int failing_call = -1;
long failing_at = 0;
int failing_errno = 0;
bool comes_short = false;
bool fails_ever_after = false;
const char* counts_file = nullptr;
int getenv_log = -1;
bool ready = false;

enum class Fate { normal, fails, comes_short };

/// Counts the call and decides its fate.
Fate fate_of(Call call) {
  if (!ready) return Fate::normal;
  const long number = counts[call].fetch_add(1) + 1;
  if (call != failing_call || failing_at == 0) return Fate::normal;
  if (number != failing_at && !(fails_ever_after && number > failing_at)) return Fate::normal;
  if (comes_short) return Fate::comes_short;
  errno = failing_errno;
  return Fate::fails;
}

/// For functions that are not called before symbols can be looked up.
template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::size_t shortened(Fate fate, std::size_t size) {
  return fate == Fate::comes_short && size > 1 ? size / 2 : size;
}

char* find_variable(const char* name) {
  const std::size_t length = std::strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

__attribute__((constructor)) void begin() {
  if (const char* call = find_variable("SOTTO_FAULT_CALL"))
    for (int i = 0; i < kCalls; ++i)
      if (std::strcmp(call, kNames[i]) == 0) failing_call = i;
  if (const char* at = find_variable("SOTTO_FAULT_AT")) failing_at = std::strtol(at, nullptr, 10);
  if (const char* how = find_variable("SOTTO_FAULT_ERRNO")) {
    comes_short = std::strcmp(how, "short") == 0;
    fails_ever_after = std::strncmp(how, "always", 6) == 0;
    failing_errno = static_cast<int>(std::strtol(fails_ever_after ? how + 6 : how, nullptr, 10));
  }
  counts_file = find_variable("SOTTO_FAULT_COUNTS");
  if (const char* log = find_variable("SOTTO_FAULT_GETENV"))
    getenv_log = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  ready = true;
}

std::size_t append_number(char* text, long number) {
  char digits[24];
  std::size_t count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  for (std::size_t i = 0; i < count; ++i) text[i] = digits[count - 1 - i];
  return count;
}

__attribute__((destructor)) void end() {
  ready = false;
  if (counts_file == nullptr) return;
  const int file = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (int i = 0; i < kCalls; ++i) {
    char line[64];
    std::size_t size = std::strlen(kNames[i]);
    std::memcpy(line, kNames[i], size);
    line[size++] = ' ';
    size += append_number(line + size, counts[i]);
    line[size++] = '\n';
    ::syscall(SYS_write, file, line, size);
  }
  ::syscall(SYS_close, file);
}

mode_t mode_argument(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (fate_of(kOpen) == Fate::fails) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  return fate_of(kMalloc) == Fate::fails ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fate_of(kMalloc) == Fate::fails ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return fate_of(kMalloc) == Fate::fails ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fate_of(kMalloc) == Fate::fails ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

// Large files have their own names only where off_t has 32 bits; here both are the same function.
#define SOTTO_OPEN(name)                                 \
  int name(const char* path, int flags, ...) {           \
    va_list arguments;                                   \
    va_start(arguments, flags);                          \
    const mode_t mode = mode_argument(flags, arguments); \
    va_end(arguments);                                   \
    return open_at(AT_FDCWD, path, flags, mode);         \
  }
#define SOTTO_OPENAT(name)                                 \
  int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_argument(flags, arguments);   \
    va_end(arguments);                                     \
    return open_at(folder, path, flags, mode);             \
  }
SOTTO_OPEN(open)
SOTTO_OPEN(open64)
SOTTO_OPENAT(openat)
SOTTO_OPENAT(openat64)
int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int __openat_2(int folder, const char* path, int flags) {
  return open_at(folder, path, flags, 0);
}
int __openat64_2(int folder, const char* path, int flags) {
  return open_at(folder, path, flags, 0);
}

ssize_t read(int file, void* data, std::size_t size) {
  const Fate fate = fate_of(kRead);
  return fate == Fate::fails ? -1 : ::syscall(SYS_read, file, data, shortened(fate, size));
}
ssize_t __read_chk(int file, void* data, std::size_t size, std::size_t) {
  return read(file, data, size);
}

ssize_t pread64(int file, void* data, std::size_t size, off64_t offset) {
  const Fate fate = fate_of(kPread);
  return fate == Fate::fails ? -1 : ::syscall(SYS_pread64, file, data, shortened(fate, size), offset);
}
ssize_t pread(int file, void* data, std::size_t size, off_t offset) {
  return pread64(file, data, size, offset);
}
ssize_t __pread_chk(int file, void* data, std::size_t size, off_t offset, std::size_t) {
  return pread64(file, data, size, offset);
}
ssize_t __pread64_chk(int file, void* data, std::size_t size, off64_t offset, std::size_t) {
  return pread64(file, data, size, offset);
}

ssize_t write(int file, const void* data, std::size_t size) {
  // Messages are never made to fail.
  const Fate fate = file == STDERR_FILENO ? Fate::normal : fate_of(kWrite);
  return fate == Fate::fails ? -1 : ::syscall(SYS_write, file, data, shortened(fate, size));
}

ssize_t pwrite64(int file, const void* data, std::size_t size, off64_t offset) {
  const Fate fate = fate_of(kPwrite);
  return fate == Fate::fails ? -1 : ::syscall(SYS_pwrite64, file, data, shortened(fate, size), offset);
}
ssize_t pwrite(int file, const void* data, std::size_t size, off_t offset) {
  return pwrite64(file, data, size, offset);
}

int fsync(int file) {
  return fate_of(kFsync) == Fate::fails ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  return fate_of(kFsync) == Fate::fails ? -1 : static_cast<int>(::syscall(SYS_fdatasync, file));
}

int rename(const char* from, const char* to) {
  return fate_of(kRename) == Fate::fails ? -1 : static_cast<int>(::syscall(SYS_rename, from, to));
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (fate_of(kLink) == Fate::fails) return -1;
  return static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int ftruncate64(int file, off64_t size) noexcept {
  return fate_of(kTruncate) == Fate::fails ? -1 : static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int ftruncate(int file, off_t size) noexcept {
  return ftruncate64(file, size);
}
int posix_fallocate64(int file, off64_t offset, off64_t size) {
  if (fate_of(kTruncate) == Fate::fails) return failing_errno;
  return next<int (*)(int, off64_t, off64_t)>("posix_fallocate64")(file, offset, size);
}
int posix_fallocate(int file, off_t offset, off_t size) {
  return posix_fallocate64(file, offset, size);
}

void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  if (fate_of(kMmap) == Fate::fails) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return mmap64(address, size, protection, flags, file, offset);
}

ssize_t getrandom(void* data, std::size_t size, unsigned flags) {
  const Fate fate = fate_of(kGetrandom);
  return fate == Fate::fails ? -1 : ::syscall(SYS_getrandom, data, shortened(fate, size), flags);
}

char* getenv(const char* name) noexcept {
  if (getenv_log >= 0) {
    char line[256];
    const std::size_t size = std::strlen(name);
    if (size < sizeof line) {
      std::memcpy(line, name, size);
      line[size] = '\n';
      ::syscall(SYS_write, getenv_log, line, size + 1);
    }
  }
  return find_variable(name);
}
char* secure_getenv(const char* name) noexcept {
  return getenv(name);
}

}  // extern "C"
