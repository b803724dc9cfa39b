/* The C interface, for languages that call C: Go, Rust, Java, Python's ctypes, database extensions.
 *
 * Texts are UTF-8 with a length; they need not end in a NUL. Every returned text ends in a NUL that its
 * length does not include, belongs to the caller, and must be released with sotto_free(). Options are JSON
 * objects whose members are named like the parameters (docs/schemas/privatize_options.schema.json).
 *
 * All functions are thread-safe, also with the same sotto_privatizer, unless another thread changes the
 * environment; restrictions are noted at the function. No function ends the process or throws.
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include <stddef.h>

#include <sotto/version.h>

#if defined(__GNUC__)
#define SOTTO_C_API __attribute__((visibility("default")))
#else
#define SOTTO_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returned by functions that can fail. After a failure, sotto_last_error() has the details. */
enum sotto_status {
  SOTTO_OK = 0,
  SOTTO_INVALID_ARGUMENT = 1, /* the value of a parameter is not allowed */
  SOTTO_NOT_FOUND = 2,        /* a file, model, mechanism or word does not exist */
  SOTTO_IO = 3,               /* reading or writing failed */
  SOTTO_BAD_FORMAT = 4,       /* the content of a file or text does not match its format */
  SOTTO_LIMIT = 5,            /* a stated limit or the available memory was exceeded */
  SOTTO_INTERRUPTED = 6,
  SOTTO_CLOSED_PIPE = 7 /* standard output is a pipe that nobody reads any more */
};

/* A text and its length in bytes. */
typedef struct sotto_text {
  const char* data;
  size_t size;
} sotto_text;

/* A text to rewrite. With a key file, the noise is a function of key, data set, id, field and text: equal
 * inputs give equal outputs. */
typedef struct sotto_document {
  sotto_text text;
  sotto_text dataset; /* may be empty, like the two below */
  sotto_text id;
  sotto_text field;
} sotto_document;

typedef struct sotto_privatizer sotto_privatizer;

/* The version of the linked library, for example "0.1.0"; that of the headers is SOTTO_VERSION_STRING. Must
 * not be freed. Thread-safe. */
SOTTO_C_API const char* sotto_version(void);

/* Opens what the options name: {"mechanism": "diffractor-geometric", "epsilon": 1, "key_file": "secret.key"}.
 * Thread-safe, but the first mechanism of a process that uses a language model sets environment variables: no
 * other thread may read or change the environment meanwhile. */
SOTTO_C_API int sotto_open(const char* options_json, sotto_privatizer** privatizer);

/* Does nothing for NULL. Thread-safe, but no other thread may be using this privatizer. */
SOTTO_C_API void sotto_close(sotto_privatizer* privatizer);

/* Rewrites one text. Thread-safe. */
SOTTO_C_API int sotto_privatize(sotto_privatizer* privatizer, const sotto_document* document,
                                sotto_text* output);

/* Rewrites `count` texts on up to `threads` threads (0: one per processor). Fills in all outputs or none.
 * Thread-safe. */
SOTTO_C_API int sotto_privatize_batch(sotto_privatizer* privatizer, const sotto_document* documents,
                                      size_t count, unsigned threads, sotto_text* outputs);

/* The receipt for everything rewritten since sotto_open(), as JSON. Thread-safe. */
SOTTO_C_API int sotto_receipt_json(sotto_privatizer* privatizer, sotto_text* json);

/* The output distribution of a word, as JSON. Options: {"mechanism": ..., "epsilon": ..., "top": 10}.
 * Thread-safe. */
SOTTO_C_API int sotto_explain_json(sotto_text word, const char* options_json, sotto_text* json);

/* The mechanisms and their parameters, as JSON. Thread-safe. */
SOTTO_C_API int sotto_mechanisms_json(sotto_text* json);

/* Why the last failed call in this thread failed: {"code": ..., "parameter": ..., "value": ..., "message":
 * ...}. Valid until the next call in this thread; must not be freed. "" if none failed. Thread-safe. */
SOTTO_C_API const char* sotto_last_error(void);

/* Releases the data of a text. Does nothing for NULL. Thread-safe. */
SOTTO_C_API void sotto_free(const char* data);

#ifdef __cplusplus
}
#endif

#endif
