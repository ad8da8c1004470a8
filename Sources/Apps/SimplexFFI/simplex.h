// The C interface of the SimpleX chat core.
//
// Strings are UTF-8 and end with 0. Strings that go in stay the caller's. Strings and buffers that come out are the
// caller's too: release each with free(). A null string, a controller that is none, or one whose store is closed is
// answered with the text of an error (but see chat_recv_msg), in the form that the function's results have.
//
// Every function may be called from any thread, and several at once; those that wait for the network or an event block
// their caller. Several controllers may live in one process, each with databases of its own.
#ifndef SIMPLEX_H
#define SIMPLEX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *chat_ctrl;

// Neither has to be called. hs_init does nothing.
void hs_init(int *argc, char ***argv);
// Reads options after the program's name, for the controllers that are opened afterwards; others are ignored:
//   --owsf      sums in JSON are encoded {"_owsf":true,"tag":{...}} (the default on iOS, tvOS, watchOS and visionOS)
//   --tagged    sums are encoded {"type":"tag",...} (the default elsewhere)
void hs_init_with_rtsopts(int *argc, char ***argv);

// Opens the databases PATH_chat.db and PATH_agent.db, creating them if need be, and makes a controller.
//   key         passphrase of the databases, "" if they are not encrypted
//   keep_key    not 0: the key is kept in memory, so that chat_reopen_store works
//   confirm     what to do when the databases are older than the library: yesUp, yesUpDown, error
//               (databases of the reference are imported with yesUp, and with yesUpDown although something is lost)
//   background  not 0: a profile of the reference is not imported (extensions have too little memory and time)
//   ctrl        receives the controller if the result is {"type":"ok"}, and is left alone otherwise
// The environment may name servers, with white space between addresses: SIMPLEX_SMP_SERVERS the relays that all users
// of this controller use in place of their own, and that new users keep; SIMPLEX_XFTP_SERVERS the file servers of new
// users. What is no address is an error, and no database is opened.
char *chat_migrate_init(const char *path, const char *key, const char *confirm, chat_ctrl *ctrl);
char *chat_migrate_init_key(const char *path, const char *key, int keep_key, const char *confirm, int background, chat_ctrl *ctrl);
// "" or the text of an error.
char *chat_close_store(chat_ctrl ctrl);
char *chat_reopen_store(chat_ctrl ctrl);

// {"result":{...}} or {"error":{...}}. The retry number is ignored.
char *chat_send_cmd(chat_ctrl ctrl, const char *cmd);
char *chat_send_cmd_retry(chat_ctrl ctrl, const char *cmd, int retry_num);
char *chat_send_remote_cmd(chat_ctrl ctrl, int remote_host_id, const char *cmd);
char *chat_send_remote_cmd_retry(chat_ctrl ctrl, int remote_host_id, const char *cmd, int retry_num);
// The next event. The second returns "" when none came within so many microseconds. After chat_close_store the first
// waits until the store is open again and something happens, the second returns "" after its time.
char *chat_recv_msg(chat_ctrl ctrl);
char *chat_recv_msg_wait(chat_ctrl ctrl, int wait);

char *chat_parse_markdown(const char *text);
char *chat_parse_server(const char *address);
char *chat_parse_uri(const char *uri, int safe);
char *chat_password_hash(const char *password, const char *salt);
char *chat_valid_name(const char *name);
int chat_json_length(const char *text);

// Frames of calls, in place: the last 28 bytes of the frame are reserved for the tag and the vector. "" or the text of
// an error.
char *chat_encrypt_media(chat_ctrl ctrl, const char *key, uint8_t *frame, int len);
char *chat_decrypt_media(const char *key, uint8_t *frame, int len);

// Encrypted files. chat_read_file returns 0, a 32-bit length in the machine's byte order and the content, or 1 and the
// text of an error.
char *chat_write_file(chat_ctrl ctrl, const char *path, const uint8_t *data, int len);
uint8_t *chat_read_file(const char *path, const char *key, const char *nonce);
char *chat_encrypt_file(chat_ctrl ctrl, const char *from_path, const char *to_path);
char *chat_decrypt_file(const char *from_path, const char *key, const char *nonce, const char *to_path);

// Not supported by this implementation: {"error":"..."}.
char *chat_badge_keygen(void);
char *chat_badge_issue(const char *request);

#ifdef __cplusplus
}
#endif

#endif
