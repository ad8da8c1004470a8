import SMPProtocol

/// Limits the work that datagrams cause while the host searches: anybody in the network can send them.
///
/// In each second key agreements are limited in total, and the datagrams of each source, so that a flood from one
/// address does not hide the announcements of another.
struct DatagramBudget: Sendable {
  /// The maximum number of key agreements in a second; one datagram is always allowed.
  static let agreementLimit = 240
  /// The maximum number of datagrams of one source in a second. A controller sends one, or two.
  static let sourceLimit = 8
  /// The maximum number of sources in a second that are told apart; further ones are refused.
  static let sourcesLimit = 64
  /// The period in milliseconds.
  static let period: Int64 = 1_000

  private var start = Int64.min
  private var agreements = 0
  private var datagrams: [IPv4Address: Int] = [:]

  /// Whether a datagram that needs this many key agreements may be opened; then it is charged.
  mutating func admits(from source: IPv4Address, agreements count: Int, at now: Int64) -> Bool {
    if now < start || now &- start >= Self.period || start == .min {
      start = now
      agreements = 0
      datagrams = [:]
    }
    let ofSource = datagrams[source] ?? 0
    guard ofSource < Self.sourceLimit, ofSource > 0 || datagrams.count < Self.sourcesLimit,
      agreements == 0 || agreements + count <= Self.agreementLimit
    else { return false }
    datagrams[source] = ofSource + 1
    agreements += count
    return true
  }
}
