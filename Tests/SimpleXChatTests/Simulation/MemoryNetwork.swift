import Foundation
import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import SimplexTransport
import Synchronization

@testable import SMPServer

/// A relay in memory, and a network between it and devices that is as bad as it is told to be. Chance follows from a
/// seed; time is real, so the order in which things happen is not.
final class MemoryNetwork: Sendable {
  /// How bad the network is.
  struct Weather: Sendable {
    /// How long a block is on its way, in milliseconds.
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
    var relay: Relay?
    var links: [ObjectIdentifier: (device: String, link: MemoryLink)] = [:]
    /// Devices that are cut off, by the number of their life.
    var lives: [String: Int] = [:]
  }

  /// The address of the relay.
  let address: SMPServer
  /// The key of its certificate.
  let relayKey: AnyPublicKey?
  private let configuration: SMPServerConfiguration
  private let store = MemoryQueueStore()
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

  /// A network with a relay that takes so many messages per queue.
  init(seed: UInt64 = 0, weather: Weather = .calm, quota: Int = 128) throws {
    let credential = try Self.credential.get()
    var configuration = SMPServerConfiguration(host: nil, ports: [], credential: credential)
    configuration.queueQuota = quota
    self.configuration = configuration
    let der = try credential.chain.leaf?.publicKeyDER() ?? []
    relayKey = try AnyPublicKey(der: der.span.bytes)
    state = Mutex(State(chance: SeededGenerator(seed: seed), weather: weather))
    let relay = try Relay(configuration, store: store)
    address = SMPServer(.domain("relay.example"), keyHash: relay.fingerprint)
    state.withLock { $0.relay = relay }
  }

  /// How bad the network is now; links that are open learn it too, but do not plan to break.
  var weather: Weather {
    get { state.withLock { $0.weather } }
    set { state.withLock { $0.weather = newValue } }
  }

  /// Messages that wait at the relay.
  var messageCount: Int { (try? store.counts())?.messages ?? -1 }

  // MARK: Devices

  /// How a device connects, until it is cut off.
  func access(of device: String) -> @Sendable (SMPServer) async throws(SMPClientError) -> any BlockLink {
    let life = state.withLock { state in
      state.lives[device, default: 0] += 1
      return state.lives[device]
    }
    return { [self] (server) async throws(SMPClientError) in
      let (delay, seed, relay, isRefused) = state.withLock { state in
        let weather = state.weather
        let delay = Int.random(in: weather.delay, using: &state.chance) * 2
        let isRefused = Double.random(in: 0..<100, using: &state.chance) < weather.refusalPercent
        return (delay, state.chance.next(), state.relay, isRefused || state.lives[device] != life)
      }
      if delay > 0 { try? await Task.sleep(for: .milliseconds(delay)) }
      guard !isRefused, let relay, server == address else {
        throw .network("connection refused")
      }
      let link: MemoryLink
      do {
        link = try MemoryLink(self, seed) { MemorySession(relay, $0, output: $1) }
      } catch {
        throw .network("\(error)")
      }
      let isKnown = state.withLock { state in
        guard state.relay === relay, state.lives[device] == life else { return false }
        state.links[ObjectIdentifier(link)] = (device, link)
        return true
      }
      if !isKnown { link.drop() }
      return link
    }
  }

  /// Cuts a device off for good; what it has sent may still arrive.
  func cutOff(_ device: String) {
    let links = state.withLock { state in
      state.lives[device, default: 0] += 1
      return state.links.values.filter { $0.device == device }.map(\.link)
    }
    for link in links { link.close() }
  }

  /// Breaks all links.
  func breakLinks() {
    for link in state.withLock({ $0.links.values.map(\.link) }) { link.close() }
  }

  func closed(_ link: MemoryLink) { state.withLock { $0.links[ObjectIdentifier(link)] = nil } }

  // MARK: The relay

  /// Stops the relay: links break, and nothing that is on its way arrives. Clients have a moment to notice it.
  func stopRelay() async {
    let links = state.withLock { state in
      state.relay = nil
      return state.links.values.map(\.link)
    }
    for link in links { link.drop() }
    if !links.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
  }

  /// Starts the relay again, with what it has stored.
  func startRelay() throws {
    let relay = try Relay(configuration, store: store)
    state.withLock { if $0.relay == nil { $0.relay = relay } }
  }
}
