import SMPProtocol

/// The names of hosts in the addresses of relays.
public enum HostName {
  /// Whether a text is a host name, or an IP address.
  public static func isValid(_ text: some StringProtocol) -> Bool {
    if IPv4Address(String(text)) != nil || IPv6Address(String(text)[...]) != nil { return true }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    // Numbers alone are an IP address that is none.
    guard text.utf8.count <= 253, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }
  }

  /// The first of the names in a list with commas that is not valid; nil where all are.
  public static func firstInvalid(in list: String) -> String? {
    list.split(separator: ",", omittingEmptySubsequences: false).first { !isValid($0) }.map(String.init)
  }

  /// Whether an IP address or name is one of the machine itself: 127.0.0.0/8, `::1`, `localhost`.
  public static func isLoopback(_ host: String) -> Bool {
    if IPv4Address(host) != nil { return host.hasPrefix("127.") }
    return IPv6Address(host[...]) == IPv6Address("::1") || host == "localhost"
  }
}
