import ChatAPI
import Testing

@Suite struct ObfuscationTests {
  /// Every command of the vectors: what is hidden in logs may not be kept in a history, and nothing else is lost there.
  @Test(arguments: ["commands.tsv", "terminal-commands.tsv"]) func commandsWithSecretsAreNotKept(_ file: String) throws
  {
    var count = 0
    for line in try CommandLines(file).all.map(\.text) {
      guard let command = try? ChatCommand(parsing: line) else { continue }
      #expect(ChatCommand.mayBeKept(line) == (command.obfuscated == command), "\(line)")
      count += 1
    }
    #expect(count > 50)
  }

  @Test(arguments: [
    "/hide  user hush", "/u 'two words' hush", " /user alice hush", "\t/hide user hush", "/delete user a del=off hush",
    "/db encrypt my hush", "/db key 'my hush' 'new hush'", "/smp smp://AQID:hush@a.b x", "/hush", "/_user one hush",
    "/network socks=user:hush@127.0.0.1:9050", "/_network {\"socksProxy\":\"user:hush@127.0.0.1:9050\"}",
  ]) func whatMayBeASecretIsNotKept(_ line: String) { #expect(!ChatCommand.mayBeKept(line)) }

  @Test(arguments: [
    "hello", "@bob hush", "#team hello", "> @bob (hi) hello", "/u alice", "/delete user alice", "/users", " /q",
    "/smp smp://AQID@a.b", "/f @bob a.jpg", "/network socks=on", "* a list",
  ]) func otherLinesAreKept(_ line: String) { #expect(ChatCommand.mayBeKept(line)) }

  @Test(arguments: [
    "/_user 1 \"hush\"", "/_hide user 1 \"hush\"", "/_unhide user 1 \"hush\"", "/_delete user 1 del_smp=on \"hush\"",
    "/_db encryption {\"currentKey\":\"hush\",\"newKey\":\"hush\"}", "/db test key hush", "/db key hush hush",
    "/_send @1 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"a\"},\"fileSource\":{\"filePath\":\"a\",\"cryptoArgs\":{\"fileKey\":\"hush\",\"fileNonce\":\"hush\"}},\"mentions\":{}}]",
    "/_upload 1 key=hush nonce=hush a", "/_download 1 simplex:/file#x key=hush nonce=hush a",
    "/_server test 1 smp://AQID:hush@a.b", "/reconnect 1 smp://AQID:hush@a.b", "/u alice hush",
    "/delete user alice hush", "/hide user hush", "/unhide user hush", "/f @bob key=hush nonce=hush a",
    "/smp smp://AQID:hush@a.b", "/smp test smp://AQID:hush@a.b",
  ])
  func secretsAreNotPrinted(_ text: String) throws {
    #expect(!ChatCommand.mayBeKept(text))
    let command = try ChatCommand(parsing: text)
    #expect(command.cmdString.contains("hush"))
    #expect(!command.obfuscated.cmdString.contains("hush"))
    #expect(command.obfuscated.cmdType == command.cmdType)
    #expect(!ChatCommand.string(text).obfuscated.cmdString.contains("hush"))
  }

  @Test func textThatIsNoCommandIsCutOff() {
    #expect(ChatCommand.string("/_user one hush").obfuscated == .string("/_user ***"))
    #expect(ChatCommand.string("/users").obfuscated == .string("/users"))
  }

  @Test func otherCommandsStayAsTheyAre() throws {
    let command = try ChatCommand(parsing: "/_mute user 1")
    #expect(command.obfuscated == command)
  }
}
