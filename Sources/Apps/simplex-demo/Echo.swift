import ChatAPI
import Foundation
import SimpleXChat

/// A contact that sends back what it is sent.
struct Echo {
  private let peer: DemoPeer
  /// The short link of its address.
  let link: String
  private let answering: Task<Void, Never>

  static func start(folder: URL, relay: DemoRelay) async throws(DemoFailure) -> Echo {
    let peer = try await DemoPeer.start("Echo", folder: folder, relay: relay)
    let link = try await peer.createAddress()
    let answering = Task {
      for await event in peer.core.events {
        guard case .result(.newChatItems(_, let items)) = event else { continue }
        for item in items { await answer(item, peer) }
      }
    }
    return Echo(peer: peer, link: link, answering: answering)
  }

  private static func answer(_ item: AChatItem, _ peer: DemoPeer) async {
    guard case .direct(let contact) = item.chatInfo, !item.chatItem.chatDir.sent,
      let content = item.chatItem.content.msgContent
    else { return }
    let message = ComposedMessage(msgContent: .text(content.text))
    let ref = "@\(contact.contactId)"
    _ = await peer.core.sendText("/_send \(ref) json [\(message.jsonText())]")
  }

  func stop() async {
    answering.cancel()
    await answering.value
    await peer.stop()
  }
}
