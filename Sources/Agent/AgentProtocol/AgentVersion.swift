import WireCodec

/// Versions of the agent protocol: what two agents say to each other inside the ratchet and around it.
public enum AgentVersion {
  /// The joining side sends its queue within its confirmation; the oldest version that is still spoken.
  public static let duplexHandshake: UInt16 = 2
  /// Agents can agree on a new ratchet.
  public static let ratchetSync: UInt16 = 3
  /// Messages are confirmed by receipts.
  public static let receipts: UInt16 = 4
  /// Messages leave room for the larger headers of the post-quantum ratchet.
  public static let postQuantum: UInt16 = 5
  /// The sender secures the queue itself.
  public static let senderKey: UInt16 = 6
  /// The ratchet is made when the confirmation arrives, before it is accepted.
  public static let ratchetOnConfirmation: UInt16 = 7
  /// The version used where the peer allows it.
  public static let current = ratchetOnConfirmation
  /// The versions this implementation speaks.
  public static let supported = VersionRange(duplexHandshake...current)
}

/// The sizes to which agents pad what they encrypt, in bytes, so that a relay learns nothing from a length.
public enum PaddedSize {
  /// A confirmation's information before the ratchet encrypts it.
  public static func connectionInfo(version: UInt16, isPostQuantum: Bool) -> Int {
    isPostQuantum && version >= AgentVersion.postQuantum ? 11_106 : 14_832
  }

  /// A message before the ratchet encrypts it.
  public static func message(version: UInt16, isPostQuantum: Bool) -> Int {
    isPostQuantum && version >= AgentVersion.postQuantum ? 13_618 : 15_840
  }

  /// The fixed data of a short link before it is encrypted.
  public static let fixedLinkData = 2_008
  /// The data of a short link that its owner can change, before it is encrypted.
  public static let userLinkData = 13_784
}
