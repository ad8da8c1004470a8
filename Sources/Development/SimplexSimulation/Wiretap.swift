import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// Looks at what senders give to relays: a key and a nonce must not encrypt two different messages. (``KeyWatch`` looks
/// at the keys within.)
public final class Wiretap {
  private struct Place: Hashable {
    var relay: SMPServerAddress
    var queue: EntityID
    var nonce: BoxNonce
  }

  weak var world: World?
  private var seen: [Place: [UInt8]] = [:]
  /// Messages that were sent.
  public private(set) var sentCount = 0
  /// How many of them had been sent before.
  public private(set) var repeatedCount = 0

  func observe(_ request: RequestPipeline.Request, at relay: SimulatedRelay) {
    guard case .send(let send) = request.command else { return }
    sentCount += 1
    do {
      let message = try SentMessage.codec.decode(send.body)
      let place = Place(relay: relay.address, queue: request.entity, nonce: message.nonce)
      let hash = HashFunction.sha256.digest(of: message.box.span.bytes)
      guard let before = seen.updateValue(hash, forKey: place) else { return }
      repeatedCount += 1
      if before != hash { world?.violate("a nonce was used for two messages of queue \(request.entity)") }
    } catch {
      world?.violate("a message that cannot be read was sent: \(error)")
    }
  }
}
