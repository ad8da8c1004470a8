import ChatAPI
import FileAccess
import Foundation
import SimpleXChat
import SimplexCrypto

/// A desktop in this process uses the profile of a phone in another one, over loopback.
@Sendable func remoteSuite(_ bench: Bench) async throws {
  let relay = try ServerProcess("relay")
  defer { relay.stop() }
  guard let address = relay.greeting.first else { throw BenchError.noServer }
  let folder = try BenchFolder("remote", in: NSTemporaryDirectory())
  let place = URL(filePath: folder.path)
  let desktop = try await BenchChat("desktop", in: place, relay: address)
  _ = try await desktop.run("/remote_hosts_folder \(folder.path)/hosts")
  _ = try await desktop.run("/_temp_folder \(folder.path)/temporary")
  let start = try await desktop.run("/start remote host new addr=127.0.0.1 iface=lo")
  guard case .response3(.remoteHostStarted(_, let link, _, _)) = start else { throw BenchError.unexpected }
  let phone = try ServerProcess("remote-phone", arguments: [folder.path, address, link])
  defer { phone.stop() }
  // The times to the code and from the user's confirmation.
  guard phone.greeting.count == 2, let code = Double(phone.greeting[0]), let verified = Double(phone.greeting[1]) else {
    throw BenchError.noServer
  }
  bench.record("from the link to the session code", code, unit: "ms", goal: 250, lessIsBetter: true)
  bench.record("from the confirmation to the session", verified, unit: "ms", goal: 100, lessIsBetter: true)
  try await desktop.waitForRemoteHost()
  let client = RemoteClient(desktop: desktop)
  try await measureCommands(bench, client)
  try await measureFiles(bench, client, phone: phone, folder: folder.path)
  await desktop.controller.finish()
}

/// The phone: `remote-phone FOLDER RELAY LINK`.
@Sendable func serveRemotePhone() async throws {
  let arguments = CommandLine.arguments.dropFirst(3)
  guard arguments.count == 3, let folder = arguments.first, let link = arguments.last else { throw BenchError.noServer }
  let phone = try await BenchChat(
    "phone", in: URL(filePath: folder), relay: arguments[arguments.startIndex + 1])
  _ = try await phone.run("/_files_folder \(folder)/phone-files")
  _ = try await phone.run("/_temp_folder \(folder)/phone-temporary")
  for number in 0..<200 {
    let text = "[{\"msgContent\":{\"type\":\"text\",\"text\":\"note \(number), as long as a usual message is\"}}]"
    _ = try await phone.run("/_create *1 json \(text)")
  }
  let clock = ContinuousClock()
  let start = clock.now
  _ = try await phone.run("/connect remote ctrl \(link)")
  var code: String?
  while code == nil, let event = await phone.controller.eventQueue.next(within: .seconds(30)) {
    if case .result(.remoteCtrlSessionCode(_, let found)) = event { code = found }
  }
  guard let code else { throw BenchError.unexpected }
  let found = clock.now
  _ = try await phone.run("/verify remote ctrl \(code)")
  let verified = clock.now
  ServerProcess.announce("\((found - start).inSeconds * 1_000) \((verified - found).inSeconds * 1_000)")
  await ServerProcess.waitForParent()
  await phone.controller.finish()
}

/// The desktop of a connected phone.
private struct RemoteClient: Sendable {
  let desktop: BenchChat

  static let short = "/_get app settings"

  func ask(_ command: String = short) async throws {
    guard case .result = await desktop.controller.sendText(command, toRemoteHost: 1) else {
      throw BenchError.unexpected
    }
  }

  func local(_ command: String = short) async throws { _ = try await desktop.run(command) }
}

private func milliseconds(_ operation: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await operation()
  return (ContinuousClock.now - start).inSeconds * 1_000
}

/// The bytes of the file that is stored and fetched.
private let remoteFileSize = 1_000_000_000

private func measureCommands(_ bench: Bench, _ client: RemoteClient) async throws {
  var (local, remote, pages): ([Double], [Double], [Double]) = ([], [], [])
  for _ in 0..<50 { try await client.ask() }
  for _ in 0..<1_000 {
    local.append(try await milliseconds { try await client.local() })
    remote.append(try await milliseconds { try await client.ask() })
  }
  for _ in 0..<200 { pages.append(try await milliseconds { try await client.ask("/_get chat *1 count=100") }) }
  let (median, high) = (local.percentile(0.5), local.percentile(0.99))
  bench.record(
    "a short command above a local one, median", remote.percentile(0.5) - median, unit: "ms", goal: 1,
    lessIsBetter: true, note: "local \(median.rounded(to: 3)) ms")
  bench.record(
    "a short command above a local one, 99 of 100", remote.percentile(0.99) - high, unit: "ms", goal: 5,
    lessIsBetter: true, note: "local \(high.rounded(to: 3)) ms")
  bench.record("a page of 100 items, median", pages.percentile(0.5), unit: "ms", goal: 5, lessIsBetter: true)
  let seconds =
    try await milliseconds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 { group.addTask { for _ in 0..<250 { try await client.ask() } } }
        try await group.waitForAll()
      }
    } / 1_000
  bench.record("short commands on 16 streams", 4_000 / seconds, unit: "/s", goal: 2_000)
}

private func measureFiles(
  _ bench: Bench, _ client: RemoteClient, phone: ServerProcess, folder: String
) async throws {
  let path = folder + "/large"
  try makeFile(path)
  let serial = try serialSeconds(path)
  let asking = Task {
    var times: [Double] = []
    while !Task.isCancelled { times.append(try await milliseconds { try await client.ask() }) }
    return times
  }
  let stored = try await milliseconds { try await client.local("/store remote file 1 encrypt=off \(path)") }
  let note = "[{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"large\"}}]"
  guard
    case .result(.response1(.newChatItems(_, let items))) = await client.desktop.controller.sendText(
      "/_create *1 json \(note)", toRemoteHost: 1), let file = items.first?.chatItem.file
  else { throw BenchError.unexpected }
  let reference = RemoteFile(
    userId: 1, fileId: file.fileId, sent: true, fileSource: CryptoFile(filePath: "large", cryptoArgs: nil))
  let fetched = try await milliseconds { try await client.local("/get remote file 1 \(reference.jsonText())") }
  asking.cancel()
  let others = try await asking.value
  for (name, time) in [("stored", stored), ("fetched", fetched)] {
    bench.record(
      "1 GB \(name): part of the serial rate", 100 * serial / (time / 1_000), unit: "%", goal: 80,
      note: "\((time / 1_000).rounded(to: 2)) s; digests, ciphers and copies one after the other"
        + " \(serial.rounded(to: 2)) s")
  }
  bench.record(
    "a short command meanwhile, 99 of 100", others.percentile(0.99), unit: "ms", goal: 20, lessIsBetter: true,
    note: "\(others.count) commands")
  bench.record("the most memory of the phone", phone.peakBytes / 1e6, unit: "MB", goal: 40, lessIsBetter: true)
  let own = peakResidentBytes(of: ProcessInfo.processInfo.processIdentifier)
  bench.record("the most memory of the desktop", own / 1e6, unit: "MB", goal: 40, lessIsBetter: true)
}

private func makeFile(_ path: String) throws {
  var random = SystemRandom()
  let part = Data(random.bytes(10_000_000))
  guard FileManager.default.createFile(atPath: path, contents: nil) else { throw BenchError.cannotWrite(path) }
  let file = try FileHandle(forWritingTo: URL(filePath: path))
  for _ in 0..<(remoteFileSize / part.count) { try file.write(contentsOf: part) }
  try file.close()
}

/// The seconds of what a file needs at both sides, one after the other: two digests, both ciphers with their tags,
/// two reads and a write.
private func serialSeconds(_ path: String) throws -> Double {
  var random = SystemRandom()
  let key = try X25519.PrivateKey(using: &random).boxKey(with: X25519.PrivateKey(using: &random).publicKey)
  let nonce = BoxNonce(using: &random)
  let start = ContinuousClock.now
  let copy = path + "-copy"
  try WholeFile.copy(path, to: copy)
  defer { unlink(copy) }
  let file = try FileDescriptor(path, .reading)
  var sealing = BoxStream(.seal, key: key, nonce: nonce)
  var opening = BoxStream(.open, key: key, nonce: nonce)
  var sent = IncrementalHash(.sha512)
  var received = IncrementalHash(.sha512)
  while true {
    let part = try file.readPart(64 << 10)
    if part.isEmpty { break }
    sent.update(part.span.bytes)
    let text = opening.process(sealing.process(part.span.bytes).span.bytes)
    received.update(text.span.bytes)
  }
  guard sent.finish() == received.finish(), sealing.finish() == opening.finish() else { throw BenchError.unexpected }
  return (ContinuousClock.now - start).inSeconds
}

extension BenchChat {
  /// Waits until a phone is connected.
  fileprivate func waitForRemoteHost() async throws {
    while let event = await controller.eventQueue.next(within: .seconds(30)) {
      if case .result(.remoteHostConnected) = event { return }
    }
    throw BenchError.unexpected
  }
}
