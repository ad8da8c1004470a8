import FileAccess

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A source of a secret that is no argument: all users of a machine see the arguments of its programs.
///
/// The first of these that is there: a file that an option names, an environment variable, a credential of the service
/// manager (systemd.exec(5): a file in `$CREDENTIALS_DIRECTORY`).
public struct SecretSource: Sendable {
  /// No secret is larger, in bytes.
  private static let sizeLimit = 1 << 16

  private let file: String?
  private let environment: String?
  private let credential: String?

  /// - Parameters:
  ///   - file: Path of a file with the secret in its first line; `-` for the next line of the standard input.
  ///   - environment: Name of the variable.
  ///   - credential: Name of the credential.
  public init(file: String?, environment: String? = nil, credential: String? = nil) {
    self.file = file
    self.environment = environment
    self.credential = credential
  }

  /// The secret; nil where there is none of the sources. The standard input is read once for each call.
  public func secret() throws(SecretSourceError) -> String? {
    if file == "-" { return try Self.nextLine() }
    if let file { return try Self.firstLine(of: file) }
    if let environment, let value = getenv(environment).map({ String(cString: $0) }), !value.isEmpty { return value }
    guard let credential, let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else { return nil }
    let path = "\(folder)/\(credential)"
    return access(path, F_OK) == 0 ? try Self.firstLine(of: path) : nil
  }

  /// Whether other users of the machine can read the file of the option; false where there is none.
  public var isReadableByOthers: Bool {
    guard let file, file != "-" else { return false }
    var status = stat()
    return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
  }

  private static func firstLine(of path: String) throws(SecretSourceError) -> String {
    let content: [UInt8]
    do { content = try WholeFile.read(path, limit: sizeLimit) } catch { throw .file(error) }
    let line = content.prefix { $0 != 0x0A && $0 != 0x0D }
    guard !line.isEmpty else { throw .empty(path) }
    guard let text = String(validating: line, as: UTF8.self) else { throw .notText(path) }
    return text
  }

  private static func nextLine() throws(SecretSourceError) -> String {
    guard isatty(STDIN_FILENO) == 0 else { throw .terminal }
    guard let line = readLine(strippingNewline: true), !line.isEmpty else { throw .empty("the standard input") }
    return line
  }
}

/// Why there is no secret where one was named. The texts have no part of it.
public enum SecretSourceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be read.
  case file(FileError)
  /// The first line has nothing.
  case empty(String)
  /// The first line is not UTF-8.
  case notText(String)
  /// The standard input is a terminal, which would show what is typed.
  case terminal

  /// One line for people.
  public var description: String {
    switch self {
    case .file(let error): "the secret cannot be read: \(error)"
    case .empty(let source): "the first line of \(source) is empty: it has to be the secret"
    case .notText(let path): "the first line of \(path) is not a text in UTF-8"
    case .terminal: "the standard input is a terminal: - is for a pipe or a file"
    }
  }
}
