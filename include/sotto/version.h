/* The version of these headers, for C and C++. The build system reads it from here. */
#ifndef SOTTO_VERSION_H
#define SOTTO_VERSION_H

#define SOTTO_VERSION_MAJOR 0
#define SOTTO_VERSION_MINOR 1
#define SOTTO_VERSION_PATCH 0

/* One number that grows with each release: 10203 for 1.2.3. */
#define SOTTO_VERSION (SOTTO_VERSION_MAJOR * 10000 + SOTTO_VERSION_MINOR * 100 + SOTTO_VERSION_PATCH)

#define SOTTO_QUOTE_VALUE(value) #value
#define SOTTO_QUOTE(macro) SOTTO_QUOTE_VALUE(macro)
/* "1.2.3" */
#define SOTTO_VERSION_STRING \
  SOTTO_QUOTE(SOTTO_VERSION_MAJOR) "." SOTTO_QUOTE(SOTTO_VERSION_MINOR) "." SOTTO_QUOTE(SOTTO_VERSION_PATCH)

#endif
