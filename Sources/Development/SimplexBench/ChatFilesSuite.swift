import ChatAPI
import Foundation
import SimpleXChat
import SimplexCrypto

/// Pictures of 200 KB between two chat controllers in this process, with a relay and a file relay in processes of their
/// own, over TLS on loopback: from the command that sends them until the receiving core says that they are complete.
/// All databases and files are on the disk, and every commit is durable.
@Sendable func chatFilesSuite(_ bench: Bench) async throws {
  let relay = try ServerProcess("relay")
  defer { relay.stop() }
  let fileRelay = try ServerProcess("files")
  defer { fileRelay.stop() }
  guard let address = relay.greeting.first, let fileAddress = fileRelay.greeting.first else {
    throw BenchError.noServer
  }
  let folder = try BenchFolder("chat-files", in: NSTemporaryDirectory())
  let place = URL(filePath: folder.path)
  let alice = try await BenchChat("alice", in: place, relay: address, fileRelay: fileAddress)
  let bob = try await BenchChat("bob", in: place, relay: address, fileRelay: fileAddress)
  for (chat, name) in [(alice, "alice"), (bob, "bob")] {
    let files = place.appending(path: name + "-files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    _ = try await chat.run("/_files_folder \(files.path)")
  }
  let contact = try await alice.connect(to: bob)
  var random = SystemRandom()
  func picture() throws -> String {
    let file = place.appending(path: UUID().uuidString + ".jpg")
    try Data(random.bytes(200_000)).write(to: file)
    return file.path
  }
  func send(_ count: Int) async throws -> Double {
    let pictures = try (0..<count).map { _ in try picture() }
    // Who sends a picture has it on the disk.
    sync()
    let start = ContinuousClock().now
    try await alice.send(pictures: pictures, to: contact)
    try await bob.receiveFiles(count)
    return (ContinuousClock().now - start).inSeconds
  }
  // The connections to the file relay are opened.
  for _ in 0..<3 { _ = try await send(1) }
  var times: [Double] = []
  for _ in 0..<20 {
    times.append(try await send(1) * 1_000)
    // The end of the sender's work is not part of the next one.
    try await Task.sleep(for: .milliseconds(100))
  }
  bench.record(
    "a picture of 200 KB, until it is received, median", times.percentile(0.5), unit: "ms", goal: 60,
    lessIsBetter: true, note: "19 of 20 within \(times.percentile(0.94).rounded(to: 1)) ms; connections open")
  bench.record(
    "100 of them in one command", try await send(100), unit: "s", goal: 2, lessIsBetter: true)
  await alice.controller.finish()
  await bob.controller.finish()
}

extension BenchChat {
  fileprivate func send(pictures: [String], to contact: Int64) async throws {
    let messages = pictures.map { path in
      ComposedMessage(
        fileSource: CryptoFile(filePath: path), msgContent: .image(text: "", image: "data:image/jpg;base64,"))
    }
    let command = ChatCommand.apiSendMessages(
      type: .direct, id: contact, scope: nil, live: false, ttl: nil, composedMessages: messages)
    guard case .result(.response1(.newChatItems(_, let items))) = await controller.send(command),
      items.count == pictures.count
    else { throw BenchError.unexpected }
    while let event = await controller.eventQueue.next(within: .zero) { blackHole(event) }
  }

  /// Reads events until this many files were received.
  fileprivate func receiveFiles(_ count: Int) async throws {
    var left = count
    while left > 0 {
      guard let event = await controller.eventQueue.next(within: .seconds(30)) else { throw BenchError.unexpected }
      if case .result(.rcvFileComplete) = event { left -= 1 }
    }
  }
}
