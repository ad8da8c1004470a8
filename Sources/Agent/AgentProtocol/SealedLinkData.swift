import SMPProtocol
import SimplexCrypto
import WireCodec

/// Why link data was refused.
public enum LinkDataError: Error, Hashable, Sendable {
  /// A box was not made with this link's key.
  case cannotDecrypt
  /// The content is malformed.
  case malformed(WireError)
  /// The fixed data is not what the link's key is the hash of: the relay replaced it.
  case wrongHash
  /// The fixed data is not signed by its own root key.
  case wrongFixedSignature
  /// The changing data is not signed by an authorized key.
  case wrongUserSignature
  /// An owner has the root key, or the key or identifier of another owner.
  case duplicateOwner
  /// An owner was not authorized by an authorized key.
  case unauthorizedOwner
  /// The two parts, or the link and its data, are of different kinds.
  case mixedKinds
}

/// Link data as its maker writes it, and its readers verify it.
public struct LinkContent: Hashable, Sendable {
  /// The part that never changes.
  public var fixed: FixedLinkData
  /// The part that owners can change.
  public var user: UserLinkData

  /// Both parts.
  public init(fixed: FixedLinkData, user: UserLinkData) {
    self.fixed = fixed
    self.user = user
  }

  /// The signed fixed data, and the link's key, which is its hash (SHA3-256).
  public static func signedFixedData(
    _ data: FixedLinkData, by key: Ed25519.PrivateKey
  ) throws(WireError) -> (signed: [UInt8], linkKey: [UInt8]) {
    let bytes = try FixedLinkData.codec.encode(data)
    return (signed(bytes, by: key), HashFunction.sha3_256.digest(of: bytes.span.bytes))
  }

  /// The signed changing data.
  public static func signedUserData(
    _ data: UserLinkData, by key: Ed25519.PrivateKey
  ) throws(WireError) -> [UInt8] {
    signed(try UserLinkData.codec.encode(data), by: key)
  }

  /// The largest `content`, in bytes, that fits the padded size with the other fields of `data`. Throws if they cannot
  /// be encoded.
  public static func contentLimit(of data: UserLinkData) throws(WireError) -> Int {
    // The size of the padding, and the signature with its size.
    PaddedSize.userLinkData - 2 - (1 + Ed25519.signatureSize)
      - (try UserLinkData.codec.encode(data).count - data.content.count)
  }

  /// Encrypts one signed part for the relay: nonce (24 bytes) and box.
  public static func seal(
    _ signed: [UInt8], paddedTo size: Int, key: BoxKey, nonce: BoxNonce
  ) throws(CryptoError) -> [UInt8] {
    nonce.bytes + (try key.seal(signed.span.bytes, paddedTo: size, nonce: nonce))
  }

  private static func signed(_ bytes: [UInt8], by key: Ed25519.PrivateKey) -> [UInt8] {
    let signature = key.signature(of: bytes)
    return [UInt8(signature.count)] + signature + bytes
  }
}

extension LinkContent {
  /// Decrypts the data of a link from its relay, and verifies hash, signatures and owners.
  public init(opening data: QueueLinkData, of link: ShortLink) throws(LinkDataError) {
    guard let key = try? link.boxKey else { throw .cannotDecrypt }
    let fixedPart = try SignedPart(opening: data.fixedData, key: key)
    let userPart = try SignedPart(opening: data.userData, key: key)
    guard HashFunction.sha3_256.digest(of: fixedPart.content.span.bytes) == link.linkKey else { throw .wrongHash }
    do throws(WireError) {
      fixed = try FixedLinkData.codec.decode(fixedPart.content)
      user = try UserLinkData.codec.decode(userPart.content)
    } catch {
      throw .malformed(error)
    }
    guard fixedPart.isSigned(by: fixed.rootKey) else { throw .wrongFixedSignature }
    try verify(userPart, of: link)
  }

  private func verify(_ userPart: SignedPart, of link: ShortLink) throws(LinkDataError) {
    var signers = [fixed.rootKey]
    switch (link.kind, fixed.request.kind, user.kind) {
    case (.invitation, .invitation, .invitation): break
    case (.contact, .contact, .contact(let contact)): signers = try authorizedKeys(contact.owners)
    default: throw .mixedKinds
    }
    guard signers.contains(where: userPart.isSigned) else { throw .wrongUserSignature }
  }

  /// The root key and the keys of all owners, each of whom has to be authorized by one before.
  private func authorizedKeys(_ owners: [LinkOwner]) throws(LinkDataError) -> [Ed25519.PublicKey] {
    var keys = [fixed.rootKey]
    var ownerIDs: Set<[UInt8]> = []
    for owner in owners {
      guard !keys.contains(owner.key), ownerIDs.insert(owner.ownerID).inserted else { throw .duplicateOwner }
      guard keys.contains(where: owner.isAuthorized) else { throw .unauthorizedOwner }
      keys.append(owner.key)
    }
    return keys
  }
}

/// Bytes with the signature before them.
private struct SignedPart {
  let signature: [UInt8]
  let content: [UInt8]

  init(opening encrypted: [UInt8], key: BoxKey) throws(LinkDataError) {
    let bytes = encrypted.span.bytes
    guard bytes.byteCount > BoxNonce.size,
      let nonce = try? BoxNonce(bytes.extracting(first: BoxNonce.size)),
      let opened = try? key.openPadded(bytes.extracting(droppingFirst: BoxNonce.size), nonce: nonce)
    else { throw .cannotDecrypt }
    do throws(WireError) {
      (signature, content) = try Codec<[UInt8]>.short.pair(.tail, separator: "").decode(opened)
    } catch {
      throw .malformed(error)
    }
  }

  func isSigned(by key: Ed25519.PublicKey) -> Bool { key.isValid(signature, of: content) }
}
