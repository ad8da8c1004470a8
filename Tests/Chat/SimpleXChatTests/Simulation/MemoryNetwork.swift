import Foundation
import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import SimplexTransport
import Synchronization

@testable import SMPServer

/// Relays in memory, and a network between them and devices with delays, losses and refused connections. Random choices
/// follow from a seed; time is real, so the order of events does not.
final class MemoryNetwork: Sendable {
  /// The faults of the network.
  struct Weather: Sendable {
    /// The delay of a block, in milliseconds.
    var delay = 0...0
    /// After how many milliseconds a link breaks; nil for never.
    var breaks: ClosedRange<Int>?
    /// How many blocks of a hundred are lost, so that their link breaks.
    var lossPercent = 0.0
    /// How many attempts to connect of a hundred fail.
    var refusalPercent = 0.0

    /// Nothing goes wrong.
    static let calm = Weather()
  }

  private struct State {
    var chance: SeededGenerator
    var weather: Weather
    /// The relays that run.
    var relays: [SMPServerAddress: Relay] = [:]
    var links: [ObjectIdentifier: (device: String, relay: SMPServerAddress, link: MemoryLink)] = [:]
    /// Devices that are cut off, by the number of their life.
    var lives: [String: Int] = [:]
    /// Devices that no relay answers.
    var unanswered: Set<String> = []
  }

  /// The addresses of the relays.
  let addresses: [SMPServerAddress]
  /// The key of their certificate.
  let relayKey: AnyPublicKey?
  private let configuration: SMPServerConfiguration
  /// What each relay stores.
  private let stores: [MemoryQueueStore]
  private let state: Mutex<State>

  /// A certificate takes longer to make than a whole network, so all have the same.
  private static let credential: Result<TLSCredential, any Error> = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "relay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    return try certificates.credential()
  }

  /// - Parameter quota: the number of messages that a queue of a relay holds.
  init(seed: UInt64 = 0, weather: Weather = .calm, quota: Int = 128, relays: Int = 1) throws {
    let credential = try Self.credential.get()
    var configuration = SMPServerConfiguration(host: nil, ports: [], credential: credential)
    configuration.queueQuota = quota
    self.configuration = configuration
    let der = try credential.chain.leaf?.publicKeyDER() ?? []
    relayKey = try AnyPublicKey(der: der.span.bytes)
    state = Mutex(State(chance: SeededGenerator(seed: seed), weather: weather))
    stores = (0..<relays).map { _ in MemoryQueueStore() }
    let fingerprint = try Relay(configuration, store: MemoryQueueStore()).fingerprint
    addresses = (0..<relays).map {
      SMPServerAddress(.domain($0 == 0 ? "relay.example" : "relay\($0 + 1).example"), keyHash: fingerprint)
    }
    try startRelay()
  }

  /// The address of the first relay.
  var address: SMPServerAddress { addresses[0] }

  /// The relays at which a person makes queues: one of them by the first letter of the name, or all of them for every
  /// third letter.
  func relays(of person: String) -> [SMPServerAddress] {
    let letter = Int(person.utf8.first ?? 0) - Int(UInt8(ascii: "a"))
    return letter % 3 == 2 ? addresses : [addresses[abs(letter) % addresses.count]]
  }

  /// The current faults of the network. Open links use them too, but when they break was decided at their start.
  var weather: Weather {
    get { state.withLock { $0.weather } }
    set { state.withLock { $0.weather = newValue } }
  }

  /// Messages that wait at the relays.
  var messageCount: Int { stores.map(\.currentCounts.messages).reduce(0, +) }

  // MARK: Devices

  /// How a device connects, until it is cut off.
  func access(of device: String) -> @Sendable (SMPServerAddress) async throws(SMPClientError) -> any BlockLink {
    let life = state.withLock { state in
      state.lives[device, default: 0] += 1
      return state.lives[device]
    }
    return { [self] (server) async throws(SMPClientError) in
      let (delay, seed, relay, isRefused) = state.withLock { state in
        let weather = state.weather
        let delay = Int.random(in: weather.delay, using: &state.chance) * 2
        let isRefused = Double.random(in: 0..<100, using: &state.chance) < weather.refusalPercent
        return (delay, state.chance.next(), state.relays[server], isRefused || state.lives[device] != life)
      }
      if delay > 0 { try? await Task.sleep(for: .milliseconds(delay)) }
      guard !isRefused, let relay else {
        throw .network(.connectError(connectError: "connection refused"))
      }
      let link: MemoryLink
      do {
        link = try MemoryLink(self, device, seed) { MemorySession(relay, $0, output: $1) }
      } catch {
        throw .network(.connectError(connectError: "\(error)"))
      }
      let isKnown = state.withLock { state in
        guard state.relays[server] === relay, state.lives[device] == life else { return false }
        state.links[ObjectIdentifier(link)] = (device, server, link)
        return true
      }
      if !isKnown { link.drop() }
      return link
    }
  }

  /// Disconnects a device permanently; what it has sent may still arrive.
  func cutOff(_ device: String) {
    let links = state.withLock { state in
      state.lives[device, default: 0] += 1
      return state.links.values.filter { $0.device == device }.map(\.link)
    }
    for link in links { link.close() }
  }

  /// Whether relays receive what a device sends and do not answer.
  func setUnanswered(_ device: String, _ isUnanswered: Bool) {
    state.withLock { if isUnanswered { $0.unanswered.insert(device) } else { $0.unanswered.remove(device) } }
  }

  func isUnanswered(_ device: String) -> Bool { state.withLock { $0.unanswered.contains(device) } }

  /// Breaks all links.
  func breakLinks() {
    for link in state.withLock({ $0.links.values.map(\.link) }) { link.close() }
  }

  func closed(_ link: MemoryLink) { state.withLock { $0.links[ObjectIdentifier(link)] = nil } }

  // MARK: The relays

  /// Stops one relay, or all of them: links break, and blocks in flight are lost. Returns 20 ms later, when clients
  /// have noticed it.
  func stopRelay(_ number: Int? = nil) async {
    let stopped = addresses.indices.filter { number == nil || number == $0 }
    let links = state.withLock { state in
      for index in stopped { state.relays[addresses[index]] = nil }
      return state.links.values.filter { link in stopped.contains { addresses[$0] == link.relay } }.map(\.link)
    }
    for link in links { link.drop() }
    // Stores perform operations in order. No queue has the number 0: this no-op ends when the operations of the stopped
    // relay are stored, so that a successor finds its messages.
    for index in stopped { _ = try? await stores[index].perform(.touch(QueueNumber(0), day: 0)) }
    if !links.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
  }

  func isRunning(_ number: Int) -> Bool { state.withLock { $0.relays[addresses[number]] != nil } }

  /// Starts one relay again, or all of them, with what they have stored.
  func startRelay(_ number: Int? = nil) throws {
    for (index, address) in addresses.enumerated() where number == nil || number == index {
      let relay = try Relay(configuration, store: stores[index])
      state.withLock { if $0.relays[address] == nil { $0.relays[address] = relay } }
    }
  }
}
