import ChatAPI
import Testing

@Suite struct ObfuscationTests {
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
