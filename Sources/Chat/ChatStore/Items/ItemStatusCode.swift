import ChatAPI
import SimplexJSON

/// The status of an item as the database keeps it: a number, so that indexes are small, and the reason of a failure.
package struct ItemStatusCode {
  /// An unread item; the schema's triggers and indexes know this number.
  static let unread: Int64 = 10

  package let code: Int64
  package let detail: String?

  package init(_ status: CIStatus) {
    detail = Self.plain.contains { $0.1 == status } ? nil : status.column
    code = Self.plain.first { $0.1 == status }?.0 ?? 8
  }

  /// The status; what cannot be read is kept as it is.
  package static func status(_ code: Int64, _ detail: String?) -> CIStatus {
    if let detail { return (try? CIStatus(jsonText: detail)) ?? .invalid(text: detail) }
    return plain.first { $0.0 == code }?.1 ?? .invalid(text: "\(code)")
  }

  private static let plain: [(Int64, CIStatus)] = [
    (11, .rcvRead),
    (10, .rcvNew),
    (4, .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete)),
    (2, .sndSent(sndProgress: .complete)),
    (0, .sndNew),
    (1, .sndSent(sndProgress: .partial)),
    (3, .sndRcvd(msgRcptStatus: .ok, sndProgress: .partial)),
    (5, .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .partial)),
    (6, .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete)),
    (7, .sndErrorAuth),
  ]
}
