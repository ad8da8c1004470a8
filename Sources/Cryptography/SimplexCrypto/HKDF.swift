/// Key derivation by HKDF with SHA-512 (RFC 5869): every derived key of the protocols.
public enum HKDF {
  /// The maximum number of bytes of one derivation: 255 hash lengths.
  public static let maximumCount = 255 * HMACSHA512.codeSize

  /// Derives `count` bytes (at most ``maximumCount``) from a secret.
  /// - Parameters:
  ///   - salt: public or secret; an empty one means 64 zeros.
  ///   - info: the purpose, usually one of the protocol's constants.
  public static func derive(
    from secret: RawSpan, salt: RawSpan = RawSpan(), info: RawSpan, count: Int
  ) -> SecretBytes {
    SecretBytes(count: count) { output in
      derive(from: secret, salt: salt, info: info, into: &output)
    }
  }

  /// Derives `count` bytes from a secret for a purpose named by a constant.
  public static func derive(
    from secret: RawSpan, salt: RawSpan = RawSpan(), info: StaticString, count: Int
  ) -> SecretBytes {
    let info = UnsafeRawBufferPointer(start: info.utf8Start, count: info.utf8CodeUnitCount)
    return derive(from: secret, salt: salt, info: info.bytes, count: count)
  }

  /// Derives as many bytes (at most ``maximumCount``) as `output` holds.
  public static func derive(from secret: RawSpan, salt: RawSpan, info: RawSpan, into output: inout MutableRawSpan) {
    secret.withUnsafeBytes { secret in
      salt.withUnsafeBytes { salt in
        info.withUnsafeBytes { info in
          output.withUnsafeMutableBytes { derive(from: secret, salt: salt, info: info, into: $0) }
        }
      }
    }
  }

  private static func derive(
    from secret: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) {
    precondition(output.count <= maximumCount, "HKDF cannot derive \(output.count) bytes")
    withWipedScratch(count: 2 * KeyedSHA512.size + HMACSHA512.codeSize) { scratch in
      let key = scratch.slice(0..<KeyedSHA512.size)
      let state = scratch.slice(KeyedSHA512.size..<2 * KeyedSHA512.size)
      let block = scratch.slice(2 * KeyedSHA512.size..<scratch.count)
      let keyed = KeyedSHA512(key)

      // Extract.
      keyed.setKey(salt)
      keyed.update(secret)
      keyed.finish(into: block)

      // Expand: block n = HMAC(block n-1 ‖ info ‖ n).
      keyed.setKey(UnsafeRawBufferPointer(block))
      var position = 0
      var counter: UInt8 = 1
      while position < output.count {
        state.copyMemory(from: UnsafeRawBufferPointer(key))
        let working = KeyedSHA512(state)
        if counter > 1 { working.update(UnsafeRawBufferPointer(block)) }
        working.update(info)
        withUnsafeBytes(of: counter) { working.update($0) }
        working.finish(into: block)
        let count = min(block.count, output.count - position)
        output.slice(position..<output.count).copyMemory(from: UnsafeRawBufferPointer(block.slice(0..<count)))
        position += count
        counter &+= 1
      }
    }
  }
}
