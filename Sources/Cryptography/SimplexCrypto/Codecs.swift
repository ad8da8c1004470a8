import WireCodec

// The wire forms of keys, nonces and tags.

extension PublicKey {
  /// A 1-byte length and the DER form.
  public static var codec: Codec<Self> {
    Codec<[UInt8]>.short.compactMap("a public key in DER", { try? Self(der: $0) }, { $0.der })
  }

  /// The DER form in base64url.
  public static var textCodec: Codec<Self> {
    Codec<[UInt8]>.base64url.compactMap("a public key in DER", { try? Self(der: $0) }, { $0.der })
  }
}

extension AnyPublicKey {
  /// A 1-byte length and the DER form.
  public static var codec: Codec<Self> {
    Codec<[UInt8]>.short.compactMap("a public key in DER", { try? Self(der: $0) }, { $0.der })
  }

  /// The DER form in base64url.
  public static var textCodec: Codec<Self> {
    Codec<[UInt8]>.base64url.compactMap("a public key in DER", { try? Self(der: $0) }, { $0.der })
  }
}

extension BoxNonce {
  /// The 24 bytes.
  public static var codec: Codec<BoxNonce> {
    Codec<[UInt8]>.fixed(size).compactMap("a nonce", { try? BoxNonce($0) }, \.bytes)
  }

  /// The 24 bytes in base64url.
  public static var textCodec: Codec<BoxNonce> {
    Codec<[UInt8]>.base64url.compactMap("a nonce of 24 bytes", { try? BoxNonce($0) }, \.bytes)
  }
}

extension AuthTag {
  /// The 16 bytes.
  public static var codec: Codec<AuthTag> {
    Codec<[UInt8]>.fixed(size).compactMap("an authentication tag", { try? AuthTag($0) }, \.bytes)
  }
}

extension BoxKey {
  /// The 32 bytes in base64url. The text holds the secret.
  public static var textCodec: Codec<BoxKey> {
    Codec<[UInt8]>.base64url.compactMap(
      "a key of 32 bytes", { try? BoxKey(SecretBytes($0)) }, { [UInt8](copying: $0.secret.bytes) })
  }
}
