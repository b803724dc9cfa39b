/* Rewrites the lines of standard input and writes the receipt to standard error:
 *
 *     privatize_lines '{"epsilon": 1, "key_file": "secret.key"}' < in.txt > out.txt 2> receipt.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/sotto.h>

#define MOST_LINES 1000

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, sotto_last_error());
  return 1;
}

/* The next line without its line end, in memory of its own; NULL at the end. */
static char* next_line(void) {
  size_t size = 0;
  size_t room = 256;
  char* line = malloc(room);
  int c = getchar();
  if (line == NULL || c == EOF) {
    free(line);
    return NULL;
  }
  for (; c != EOF && c != '\n'; c = getchar()) {
    if (size + 1 == room) {
      char* larger = realloc(line, room *= 2);
      if (larger == NULL) {
        free(line);
        return NULL;
      }
      line = larger;
    }
    line[size++] = (char)c;
  }
  line[size] = '\0';
  return line;
}

static int write_receipt(sotto_privatizer* privatizer) {
  sotto_text receipt;
  if (sotto_receipt_json(privatizer, &receipt) != SOTTO_OK) return failed("receipt");
  fputs(receipt.data, stderr);
  sotto_free(receipt.data);
  return 0;
}

int main(int argc, char** argv) {
  static sotto_document documents[MOST_LINES];
  static sotto_text outputs[MOST_LINES];
  static char ids[MOST_LINES][24];
  sotto_privatizer* privatizer = NULL;
  unsigned long long number = 0;
  int status = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: %s OPTIONS < TEXTS\n", argv[0]);
    return 2;
  }
  if (sotto_open(argv[1], &privatizer) != SOTTO_OK) return failed("open");
  for (size_t count = MOST_LINES; status == 0 && count == MOST_LINES;) {
    char* line = NULL;
    for (count = 0; count < MOST_LINES && (line = next_line()) != NULL; ++count) {
      sotto_document* document = &documents[count];
      memset(document, 0, sizeof *document);
      document->text = (sotto_text){line, strlen(line)};
      document->dataset = (sotto_text){"lines", 5};
      document->id = (sotto_text){ids[count], (size_t)sprintf(ids[count], "%llu", ++number)};
    }
    if (sotto_privatize_batch(privatizer, documents, count, 0, outputs) != SOTTO_OK)
      status = failed("privatize");
    for (size_t i = 0; i < count; ++i) {
      if (status == 0) {
        puts(outputs[i].data);
        sotto_free(outputs[i].data);
      }
      free((char*)documents[i].text.data);
    }
  }
  if (status == 0) status = write_receipt(privatizer);
  sotto_close(privatizer);
  return status;
}
