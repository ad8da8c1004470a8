import ChatAPI
import ChatState
import Foundation
import SimplexTesting
import Testing

/// Media between two apps, over real cores and a file relay.
@Suite struct MediaModelTests {
  private struct Sent {
    var content: MsgContent
    var size: Int
    var isReceived: Bool
  }

  private static let media = [
    Sent(content: .image(text: "0", image: "data:image/jpg;base64,AAAA"), size: 522_240, isReceived: true),
    Sent(content: .image(text: "1", image: "data:image/jpg;base64,AAAA"), size: 522_241, isReceived: false),
    Sent(content: .voice(text: "2", duration: 3), size: 522_240, isReceived: true),
    Sent(content: .voice(text: "3", duration: 3), size: 522_241, isReceived: false),
    Sent(
      content: .video(text: "4", image: "data:image/jpg;base64,AAAA", duration: 3), size: 1_047_552, isReceived: true),
    Sent(
      content: .video(text: "5", image: "data:image/jpg;base64,AAAA", duration: 3), size: 1_047_553, isReceived: false),
    Sent(content: .file("6"), size: 1, isReceived: false),
  ]

  /// Media up to the limits are received without asking; about what is larger, and other files, the person is asked.
  @Test func mediaUpToTheLimitsAreReceived() async throws {
    try await TestWorld.with(files: true) { world in
      let (aliceCore, bobCore) = try await world.connected("alice", "bob")
      let folder = world.folder.path
      _ = try await bobCore.run("/_files_folder \(folder)/bob-files")
      let (alice, bob) = (try await ModelPerson(aliceCore.controller, 1), try await ModelPerson(bobCore.controller, 2))
      try await bob.receiveMedia()
      for (number, sent) in Self.media.enumerated() {
        let path = "\(folder)/media-\(number)"
        try Data((0..<sent.size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }).write(to: URL(filePath: path))
        try await alice.sendFile(path, sent.content)
      }
      for (number, sent) in Self.media.enumerated() {
        try await bob.waitForFile("media-\(number)", isReceived: sent.isReceived)
      }
      for (number, sent) in Self.media.enumerated() {
        let file = try #require(await bob.file("media-\(number)"))
        #expect(file.fileStatus == (sent.isReceived ? .rcvComplete : .rcvInvitation), "\(number)")
        guard sent.isReceived else { continue }
        let name = try #require(file.fileSource?.filePath)
        #expect(
          FileManager.default.contentsEqual(
            atPath: "\(folder)/bob-files/\(name)", andPath: "\(folder)/media-\(number)"))
      }
    }
  }
}

extension ModelPerson {
  private func friend() throws -> Chat { try #require(model.chats.first { $0.chatInfo.contact != nil }) }

  /// Opens the chat with the only contact, and receives as apps do, in the clear.
  fileprivate func receiveMedia() async throws {
    model.fileReceiving = {
      var settings = FileReceiving()
      settings.encryptsFiles = false
      return settings
    }
    model.im.loadOpenChatNoWait(try friend().id)
    await model.im.loaded()
  }

  fileprivate func sendFile(_ path: String, _ content: MsgContent) async throws {
    var message = ComposedMessage(msgContent: content)
    message.fileSource = CryptoFile(filePath: path)
    try await model.sendMessages(to: try friend().chatInfo, [message])
  }

  fileprivate func file(_ name: String) -> CIFile? {
    model.im.chatItems.lazy.compactMap(\.file).first { $0.fileName == name }
  }

  fileprivate func waitForFile(_ name: String, isReceived: Bool) async throws {
    try await wait(name) { file(name).map { !isReceived || $0.fileStatus == .rcvComplete } == true }
  }
}
