/* The C interface, for languages that call C: Go, Rust, Java, Python's ctypes, database extensions.
 *
 * Texts are UTF-8 with a length; they need not end in a NUL. Every text that comes back ends in a NUL that
 * its length does not count, belongs to the caller, and goes back with sotto_free(). Options are JSON objects
 * whose members are called as the parameters are (docs/schemas/privatize_options.schema.json).
 *
 * All functions may be called from several threads at a time, also with the same sotto_privatizer, except
 * that nothing may use one that is being closed. No function ends the process or throws.
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include <stddef.h>

#if defined(__GNUC__)
#define SOTTO_C_API __attribute__((visibility("default")))
#else
#define SOTTO_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What functions that can fail return. After a failure sotto_last_error() says more. */
enum sotto_status {
  SOTTO_OK = 0,
  SOTTO_INVALID_ARGUMENT = 1, /* a parameter has a value that is not allowed */
  SOTTO_NOT_FOUND = 2,        /* a file, model, mechanism or word does not exist */
  SOTTO_IO = 3,               /* reading or writing failed */
  SOTTO_BAD_FORMAT = 4,       /* the content of a file or a text is not what it must be */
  SOTTO_LIMIT = 5,            /* a stated limit, or the memory, is exceeded */
  SOTTO_INTERRUPTED = 6
};

/* A text and its length in bytes. */
typedef struct sotto_text {
  const char* data;
  size_t size;
} sotto_text;

/* A text to rewrite. With a key file the noise is a function of key, data set, id, field and text: the same
 * again gives the same output. */
typedef struct sotto_document {
  sotto_text text;
  sotto_text dataset; /* may be empty, as may the two below */
  sotto_text id;
  sotto_text field;
} sotto_document;

typedef struct sotto_privatizer sotto_privatizer;

/* The version of the library, for example "0.1.0". Not to be freed. */
SOTTO_C_API const char* sotto_version(void);

/* Opens what the options name: {"mechanism": "diffractor-geometric", "epsilon": 1, "key_file": "secret.key"}.
 */
SOTTO_C_API int sotto_open(const char* options_json, sotto_privatizer** privatizer);

/* Does nothing for NULL. */
SOTTO_C_API void sotto_close(sotto_privatizer* privatizer);

/* Rewrites one text. */
SOTTO_C_API int sotto_privatize(sotto_privatizer* privatizer, const sotto_document* document,
                                sotto_text* output);

/* Rewrites `count` texts on up to `threads` threads (0: one per processor). All outputs, or none, are filled
 * in. */
SOTTO_C_API int sotto_privatize_batch(sotto_privatizer* privatizer, const sotto_document* documents,
                                      size_t count, unsigned threads, sotto_text* outputs);

/* The receipt of everything that was rewritten since sotto_open(), as JSON. */
SOTTO_C_API int sotto_receipt_json(sotto_privatizer* privatizer, sotto_text* json);

/* What becomes of a word, as JSON. Options: {"mechanism": ..., "epsilon": ..., "top": 10}. */
SOTTO_C_API int sotto_explain_json(sotto_text word, const char* options_json, sotto_text* json);

/* The mechanisms and their parameters, as JSON. */
SOTTO_C_API int sotto_mechanisms_json(sotto_text* json);

/* Why the last function that failed in this thread did: {"code": ..., "parameter": ..., "value": ...,
 * "message": ...}. Valid until the next call in this thread; not to be freed. "" when none failed. */
SOTTO_C_API const char* sotto_last_error(void);

/* Gives back a text's data. Does nothing for NULL. */
SOTTO_C_API void sotto_free(const char* data);

#ifdef __cplusplus
}
#endif

#endif
