import ChatAPI
import SimplexJSON

extension MsgContent {
  /// The content as peers send it: content of an unknown type that had no text has none again.
  var betweenPeers: MsgContent {
    guard case .unknown(let type, Self.textOfUnknown, .object(let members)) = self else { return self }
    return .unknown(
      type: type, text: Self.textOfUnknown, json: .object(members.filter { $0.key != "text" }))
  }
}
