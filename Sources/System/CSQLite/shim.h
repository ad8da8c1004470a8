#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes before the call returns.
static inline int sqlitekit_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int sqlitekit_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Functions with variable arguments are not imported.
static inline int sqlitekit_keep_log_when_closing(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#if defined(__linux__)
#include <stdint.h>
#include <unistd.h>

// The system's headers declare it only for programs that request GNU extensions before any header.
ssize_t copy_file_range(int input, int64_t *input_offset, int output, int64_t *output_offset, size_t count, unsigned flags);

// Copies from the current offsets of both files; the file system may let them share content.
static inline ssize_t sqlitekit_copy_range(int input, int output, size_t count) {
  return copy_file_range(input, 0, output, 0, count, 0);
}
#endif
