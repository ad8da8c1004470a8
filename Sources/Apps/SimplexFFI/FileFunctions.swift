#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import SimplexCrypto

/// Writes an encrypted file with a new key, and returns the key.
@_cdecl("chat_write_file")
public func chatWriteFile(
  _ controller: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?, _ content: UnsafeMutableRawPointer?,
  _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
  owned(
    json: WriteFileResult { () throws(InterfaceError) in
      guard count >= 0, content != nil || count == 0 else {
        throw InterfaceError("data is null or its length is negative")
      }
      return try EncryptedFiles.write(
        UnsafeRawBufferPointer(start: content, count: Int(count)), to: try required(path, "path"))
    })
}

/// Reads an encrypted file into a buffer that the caller frees: 0, the 32-bit length in the machine's byte order, and
/// the content; or 1 and the text of an error, ended by 0.
@_cdecl("chat_read_file")
public func chatReadFile(
  _ path: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ nonce: UnsafePointer<CChar>?
) -> UnsafeMutableRawPointer? {
  do {
    let encryption = try EncryptedFiles.encryption(
      key: try required(key, "key"), nonce: try required(nonce, "nonce"))
    return try EncryptedFiles.read(try required(path, "path"), encryption)
  } catch {
    return UnsafeMutableRawPointer(owned("\u{1}" + error.text))
  }
}

/// Encrypts a file into another with a new key, and returns the key.
@_cdecl("chat_encrypt_file")
public func chatEncryptFile(
  _ controller: UnsafeMutableRawPointer?, _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  owned(
    json: WriteFileResult { () throws(InterfaceError) in
      try EncryptedFiles.encrypt(try required(source, "source path"), to: try required(target, "target path"))
    })
}

/// Decrypts a file into another.
@_cdecl("chat_decrypt_file")
public func chatDecryptFile(
  _ source: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ nonce: UnsafePointer<CChar>?,
  _ target: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  errorText { () throws(InterfaceError) in
    let encryption = try EncryptedFiles.encryption(
      key: try required(key, "key"), nonce: try required(nonce, "nonce"))
    try EncryptedFiles.decrypt(
      try required(source, "source path"), encryption, to: try required(target, "target path"))
  }
}
