// The library from C: usage PREFIX
#include <simplex.h>
#include <stdio.h>
#include <stdlib.h>

static void show(char *text) {
  puts(text);
  free(text);
}

int main(int argc, char **argv) {
  chat_ctrl chat = NULL;
  show(chat_migrate_init(argc > 1 ? argv[1] : "./alice", "", "yesUp", &chat));
  if (!chat) return 1;
  show(chat_send_cmd(chat, "/create user alice"));
  show(chat_send_cmd(chat, "/_start"));
  show(chat_recv_msg_wait(chat, 500000));
  show(chat_close_store(chat));
}
