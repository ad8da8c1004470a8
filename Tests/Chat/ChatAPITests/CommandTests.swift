import ChatAPI
import Foundation
import SimplexTesting
import Testing

/// The lines of `commands.tsv`: the name of a command and a text of it.
struct CommandLines {
  let all: [(name: String, text: String)]

  init(_ file: String) throws {
    let text = try String(contentsOf: Vectors.folder.appendingPathComponent(file), encoding: .utf8)
    all = text.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return (String(parts[0]), String(parts[1]))
    }
  }
}

@Suite struct CommandTests {
  /// Every syntax line is read as its command, and what is printed is read as the same command.
  @Test(arguments: ["commands.tsv", "terminal-commands.tsv"])
  func everySyntaxLineParsesAndPrints(_ file: String) throws {
    for (name, text) in try CommandLines(file).all {
      do throws(ChatError) {
        let command = try ChatCommand(parsing: text)
        #expect(command.cmdType == name, "\(text)")
        let printed = command.cmdString
        #expect(try ChatCommand(parsing: printed) == command, "\(text) -> \(printed)")
        #expect(try ChatCommand(parsing: text + "  \n") == command, "\(text)")
      } catch {
        Issue.record("\(text): \(error)")
      }
    }
  }

  @Test func everyCommandHasASyntaxLine() throws {
    let names = try Set((CommandLines("commands.tsv").all + CommandLines("terminal-commands.tsv").all).map(\.name))
    let declared = Set(ChatCommand.syntaxes.map(\.name))
    #expect(declared.subtracting(names).isEmpty)
    #expect(names.subtracting(declared).isEmpty)
  }

  /// Where the official clients write a command in one way, it is written in that way.
  @Test(arguments: [
    (ChatCommand.showActiveUser, "/u"),
    (.apiSetActiveUser(userId: 1, viewPwd: "a\"b"), #"/_user 1 "a\"b""#),
    (.startChat(mainApp: true, enableSndFiles: false), "/_start main=on snd_files=off"),
    (.apiGetChats(userId: 1), "/_get chats 1 pcc=on"),
    (
      .apiGetChat(
        chatId: "#2", scope: .memberSupport(groupMemberId_: 3), contentTag: .image, pagination: .last(count: 50),
        search: "tea"), "/_get chat #2(_support:3) content=image count=50 search=tea"
    ),
    (
      .apiSendMessages(
        type: .direct, id: 1, scope: nil, live: false, ttl: nil, composedMessages: [.init(msgContent: .text("hi"))]),
      #"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"hi"},"mentions":{}}]"#
    ),
    (
      .apiForwardChatItems(
        toChatType: .group, toChatId: 1, toScope: nil, sendAsGroup: true, fromChatType: .local, fromChatId: 2,
        fromScope: nil, itemIds: [3, 4], ttl: 60), "/_forward #1 as_group=on *2 3,4 ttl=60"
    ),
    (.apiDeleteChat(type: .direct, id: 1, chatDeleteMode: .full(notify: false)), "/_delete @1 full notify=off"),
    (.apiAddMember(groupId: 1, contactId: 2, memberRole: .moderator), "/_add #1 2 moderator"),
    (.apiVerifyContact(contactId: 1, connectionCode: "12 34"), "/_verify code @1 12 34"),
    (.apiSyncContactRatchet(contactId: 1, force: true), "/_sync @1 force=on"),
    (.apiSetChatTTL(userId: 1, type: .direct, id: 2, seconds: nil), "/_ttl 1 @2 default"),
    (
      .receiveFile(fileId: 1, userApprovedRelays: true, encrypted: false, inline: nil),
      "/freceive 1 approved_relays=on encrypt=off"
    ),
    (.string("/anything"), "/anything"),
  ])
  func printedForms(_ command: ChatCommand, _ text: String) {
    #expect(command.cmdString == text)
  }

  @Test func callsNameAContact() {
    #expect(ChatCommand.apiRejectCall(contact: .init(5)).cmdString == "/_call reject @5")
  }
}

@Suite struct CommandErrorTests {
  static func message(_ text: String) -> String? {
    do throws(ChatError) {
      _ = try ChatCommand(parsing: text)
      return nil
    } catch {
      guard case .error(.commandError(let message)) = error else { return nil }
      return message
    }
  }

  /// The message says what was expected where.
  @Test(arguments: [
    ("", "expected a command: /<command>, @<contact> <message> or #<group> <message>"),
    ("hello", "expected a command: /<command>, @<contact> <message> or #<group> <message>"),
    ("/nothing here", "unknown command /nothing"),
    ("/_mute user x", "expected a number at byte 12, usage: /_mute user <userId>"),
    ("/_mute user 1 2", "2 bytes left over at byte 13, usage: /_mute user <userId>"),
    ("/_mute user 99999999999999999999", "expected a number from"),
    (
      "/_add #1 2 king",
      "at byte 11, usage: /_add #<groupId> <contactId> owner|admin|moderator|member|author|observer|relay"
    ),
    ("/_delete user 1 del_smp=maybe", "expected on or off at byte 24"),
    ("/_profile 1 {\"displayName\":5}", "usage: /_profile <userId> <json Profile>"),
    ("/_send *1 json []", "expected @|# at byte 7"),
    ("/_get", "expected one of: "),
    ("@bob", "at byte 4"),
    ("/set bot commands it's:help", "expected a label or command"),
    ("/smp smp://1234-w==@a.b nothing", "expected <smp server> at byte 24"),
  ])
  func messagesOfErrors(_ text: String, _ part: String) throws {
    let message = try #require(Self.message(text))
    #expect(message.contains(part), "\(message)")
  }

  @Test(arguments: [
    "/_user 1 secret", "/_hide user x \"secret\"", "/db test key sec ret", "/_db encryption {\"secret\"}",
  ])
  func messagesRepeatNoArguments(_ text: String) throws {
    #expect(!(try #require(Self.message(text))).contains("sec"))
  }

  /// Whatever is typed, there is a command or an error, and a command prints and is read again.
  @Test(arguments: propertySeeds(40))
  func anyTextIsACommandOrAnError(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lines = try (CommandLines("commands.tsv").all + CommandLines("terminal-commands.tsv").all).map {
      Array($0.text.utf8)
    }
    for _ in 0..<300 {
      var bytes = lines.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 0...4, using: &generator) { Self.mutate(&bytes, &generator) }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let command = try? ChatCommand(parsing: text) else {
        #expect(Self.message(text) != nil)
        continue
      }
      let printed = command.cmdString
      #expect((try? ChatCommand(parsing: printed)) == command, "\(seed): \(text) -> \(printed)")
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    let signs = Array(" /@#*:=,<>()[]{}'\"\\+-!?0179aonfé".utf8)
    let index = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: bytes.insert(signs.randomElement(using: &generator) ?? 0, at: index)
    case 1 where index < bytes.count: bytes.remove(at: index)
    default:
      if index < bytes.count { bytes[index] = signs.randomElement(using: &generator) ?? 0 }
    }
  }
}
