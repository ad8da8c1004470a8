// Uses every function of the library rightly, wrongly and often, with a checking allocator if built with one.
//   abuse PREFIX FILE
#include <simplex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;

static void check(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  failures++;
}

// Reads and releases a text, whose bytes are all looked at.
static void begins(char *text, const char *beginning, const char *what) {
  check(text != NULL, what);
  if (!text) return;
  int holds = strlen(text) >= strlen(beginning) && strncmp(text, beginning, strlen(beginning)) == 0;
  if (!holds) fprintf(stderr, "%s: %s\n", what, text);
  check(holds, what);
  free(text);
}

static void is(char *text, const char *expected, const char *what) {
  check(text && strcmp(text, expected) == 0, what);
  if (text && strcmp(text, expected)) fprintf(stderr, "%s: %s\n", what, text);
  free(text);
}

static void isError(char *text, const char *what) {
  check(text && text[0] != 0, what);
  free(text);
}

static void file(chat_ctrl chat, const char *path, const char *copy, int size) {
  uint8_t *content = malloc(size ? size : 1);
  for (int i = 0; i < size; i++) content[i] = (uint8_t)(i * 7);
  char *written = chat_write_file(chat, path, content, size);
  check(strncmp(written, "{\"type\":\"result\"", 16) == 0, "chat_write_file");
  char key[44] = {0}, nonce[33] = {0};
  char *found = strstr(written, "\"fileKey\":\"");
  if (found) {
    found += 11;
    size_t length = strcspn(found, "\"");
    if (length < sizeof key + 1) memcpy(key, found, length < sizeof key ? length : sizeof key);
  }
  found = strstr(written, "\"fileNonce\":\"");
  if (found) {
    found += 13;
    size_t length = strcspn(found, "\"");
    if (length < sizeof nonce) memcpy(nonce, found, length);
  }
  free(written);
  char keyText[46] = {0};
  memcpy(keyText, key, sizeof key);
  uint8_t *read = chat_read_file(path, keyText, nonce);
  uint32_t length = 0;
  memcpy(&length, read + 1, 4);
  check(read[0] == 0 && length == (uint32_t)size && memcmp(read + 5, content, size) == 0, "chat_read_file");
  free(read);
  is(chat_decrypt_file(path, keyText, nonce, copy), "", "chat_decrypt_file");
  begins(chat_encrypt_file(chat, copy, path), "{\"type\":\"result\"", "chat_encrypt_file");
  // Of another key now
  read = chat_read_file(path, keyText, nonce);
  check(read[0] == 1 && strlen((char *)read + 1) > 0, "chat_read_file with another key");
  free(read);
  isError(chat_decrypt_file(path, keyText, nonce, copy), "chat_decrypt_file with another key");
  free(content);
}

static void nulls(void) {
  begins(chat_migrate_init(NULL, NULL, NULL, NULL), "{\"type\":\"errorSQL\"", "chat_migrate_init of nothing");
  begins(chat_migrate_init_key(NULL, NULL, 0, NULL, 0, NULL), "{\"type\":\"errorSQL\"", "chat_migrate_init_key of nothing");
  chat_ctrl controllers[] = {NULL, (chat_ctrl)1, (chat_ctrl)-1, (chat_ctrl)&failures};
  for (int i = 0; i < 4; i++) {
    chat_ctrl none = controllers[i];
    isError(chat_close_store(none), "chat_close_store of none");
    isError(chat_reopen_store(none), "chat_reopen_store of none");
    begins(chat_send_cmd(none, NULL), "{\"error\"", "chat_send_cmd of none");
    begins(chat_send_cmd_retry(none, "/u", -1), "{\"error\"", "chat_send_cmd_retry of none");
    begins(chat_send_remote_cmd(none, 1, "/u"), "{", "chat_send_remote_cmd of none");
    begins(chat_send_remote_cmd_retry(none, -1, NULL, 9), "{", "chat_send_remote_cmd_retry of none");
    begins(chat_recv_msg(none), "{\"error\"", "chat_recv_msg of none");
    begins(chat_recv_msg_wait(none, -1), "{\"error\"", "chat_recv_msg_wait of none");
    isError(chat_encrypt_media(none, NULL, NULL, 0), "chat_encrypt_media of nothing");
    begins(chat_write_file(none, NULL, NULL, -1), "{\"type\":\"error\"", "chat_write_file of nothing");
    begins(chat_encrypt_file(none, NULL, NULL), "{\"type\":\"error\"", "chat_encrypt_file of nothing");
  }
  isError(chat_decrypt_media(NULL, NULL, 1000), "chat_decrypt_media of nothing");
  isError(chat_decrypt_file(NULL, NULL, NULL, NULL), "chat_decrypt_file of nothing");
  uint8_t *read = chat_read_file(NULL, NULL, NULL);
  check(read && read[0] == 1, "chat_read_file of nothing");
  free(read);
  begins(chat_parse_markdown(NULL), "{", "chat_parse_markdown of nothing");
  begins(chat_parse_server(NULL), "{\"parseError\"", "chat_parse_server of nothing");
  begins(chat_parse_uri(NULL, 1), "{\"parseError\"", "chat_parse_uri of nothing");
  is(chat_password_hash(NULL, NULL), "", "chat_password_hash of nothing");
  is(chat_valid_name(NULL), "", "chat_valid_name of nothing");
  check(chat_json_length(NULL) == 0, "chat_json_length of nothing");
  isError(chat_badge_keygen(), "chat_badge_keygen");
  isError(chat_badge_issue(NULL), "chat_badge_issue of nothing");
  hs_init(NULL, NULL);
  hs_init_with_rtsopts(NULL, NULL);
  int count = 3;
  hs_init_with_rtsopts(&count, NULL);
}

// All that a program does often.
static void texts(void) {
  begins(chat_parse_markdown("*bold* \xff\xfe text"), "{\"formattedText\"", "chat_parse_markdown");
  is(chat_parse_markdown("plain"), "{}", "chat_parse_markdown of a plain text");
  begins(chat_parse_server("smp://abcd@example.org"), "{", "chat_parse_server");
  begins(chat_parse_uri("https://example.org/?utm_source=x", 0), "{\"uriInfo\"", "chat_parse_uri");
  isError(chat_password_hash("password", "AAAA"), "chat_password_hash");
  is(chat_valid_name("'alice'"), "alice", "chat_valid_name");
  check(chat_json_length("\xe3\x81\x93") == 3, "chat_json_length");
}

static void media(chat_ctrl chat, int size) {
  const char *key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  uint8_t *frame = calloc(1, size);
  if (size < 28) {
    isError(chat_encrypt_media(chat, key, frame, size), "a frame without room");
    isError(chat_decrypt_media(key, frame, size), "a frame without a tag");
  } else {
    is(chat_encrypt_media(chat, key, frame, size), "", "chat_encrypt_media");
    is(chat_decrypt_media(key, frame, size), "", "chat_decrypt_media");
    for (int i = 0; i < size; i++) check(frame[i] == 0, "the frame as it was");
    isError(chat_decrypt_media(key, frame, size), "a frame that is not encrypted");
    isError(chat_decrypt_media("AAEC", frame, size), "a key that is too short");
  }
  free(frame);
}

static long memory(void) {
  long size = 0, resident = 0;
  FILE *status = fopen("/proc/self/statm", "r");
  if (status) {
    if (fscanf(status, "%ld %ld", &size, &resident) != 2) resident = 0;
    fclose(status);
  }
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  nulls();
  chat_ctrl chat = NULL;
  is(chat_migrate_init(argv[1], "", "yesUp", &chat), "{\"type\":\"ok\"}", "chat_migrate_init");
  if (!chat) return 1;
  begins(chat_send_cmd(chat, "/create user alice"), "{\"result\"", "/create user");
  begins(chat_send_cmd(chat, "/_start"), "{\"result\"", "/_start");
  for (int size = 0; size < 40; size++) media(chat, size);
  char copy[4096];
  snprintf(copy, sizeof copy, "%s.copy", argv[2]);
  int sizes[] = {0, 1, 16, 65535, 65536, 65537, 200000};
  for (int i = 0; i < 7; i++) file(chat, argv[2], copy, sizes[i]);
  long before = 0;
  for (int i = 0; i < 3000; i++) {
    if (i == 1000) before = memory();
    texts();
    media(chat, 1000);
    begins(chat_send_cmd(chat, "/users"), "{\"result\"", "/users");
    begins(chat_send_cmd(chat, "/no command"), "{\"error\"", "no command");
    free(chat_recv_msg_wait(chat, 0));
  }
  long grown = memory() - before;
  is(chat_close_store(chat), "", "chat_close_store");
  begins(chat_send_cmd(chat, "/users"), "{\"error\"", "a command of a closed store");
  printf("%ld\n", grown);
  return failures ? 1 : 0;
}
