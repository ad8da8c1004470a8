#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import SimplexJSON

// How strings cross the C interface: in as NUL-terminated UTF-8 that stays the caller's, out as memory from `malloc`
// that the caller releases with `free`.

/// A string that C passes in.
typealias CText = UnsafePointer<CChar>?
/// A string that C has to free.
typealias OwnedCText = UnsafeMutablePointer<CChar>?

/// The text of a C string, bytes that are no UTF-8 replaced; nil for a null pointer.
func text(_ string: CText) -> String? {
  string.map { String(cString: $0) }
}

/// The text of a C string that must be there.
func required(_ string: CText, _ name: StaticString) throws(InterfaceError) -> String {
  guard let text = text(string) else { throw InterfaceError("\(name) is null") }
  return text
}

/// A copy of the text for C.
func owned(_ text: String) -> OwnedCText {
  var text = text
  return text.withUTF8 { owned($0) }
}

/// A JSON text for C, in the encoding of sums that the process chose.
func owned(json value: some JSONEncodable) -> OwnedCText {
  owned(json: value, sums: ProcessOptions.sums)
}

/// A JSON text for C.
func owned(json value: some JSONEncodable, sums: JSONSums) -> OwnedCText {
  value.jsonBytes(sums: sums).withUnsafeBufferPointer { owned($0) }
}

/// Null only where there is no memory left.
func owned(_ bytes: UnsafeBufferPointer<UInt8>) -> OwnedCText {
  guard let memory = malloc(bytes.count + 1) else { return nil }
  let target = UnsafeMutableRawBufferPointer(start: memory, count: bytes.count + 1)
  target.copyMemory(from: UnsafeRawBufferPointer(bytes))
  target[bytes.count] = 0
  return memory.assumingMemoryBound(to: CChar.self)
}

/// An error of the C interface, returned to the caller as text.
struct InterfaceError: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

/// Runs an operation whose only result is whether it worked: the empty text, or the error's.
func errorText(_ operation: () throws(InterfaceError) -> Void) -> OwnedCText {
  do {
    try operation()
    return owned("")
  } catch {
    return owned(error.text)
  }
}

/// Writes a line to standard error, where an app has it in its log.
func writeLog(_ line: String) {
  var text = "simplex: \(line)\n"
  text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
