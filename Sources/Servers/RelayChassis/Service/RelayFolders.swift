import FileAccess
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files that every relay has, in two folders.
public protocol RelayFolders: Hashable, Sendable {
  /// The first part of the names of its files, such as `smp-server`.
  static var filePrefix: String { get }
  /// Certificates and the ini file.
  var configuration: String { get }
  /// The database, statistics and metrics.
  var data: String { get }

  /// The files in these two folders.
  init(configuration: String, data: String)
}

extension RelayFolders {
  /// The folders that the environment variables `PREFIX_CFG_PATH` and `PREFIX_LOG_PATH` name, or these.
  public static func fromEnvironment(_ prefix: String, configuration: String, data: String) -> Self {
    let value = { (name: String) in getenv("\(prefix)_\(name)").map { String(cString: $0) } }
    return Self(configuration: value("CFG_PATH") ?? configuration, data: value("LOG_PATH") ?? data)
  }

  /// The settings.
  public var iniFile: String { "\(configuration)/\(Self.filePrefix).ini" }
  /// Certificates and keys.
  public var certificates: RelayCertificates { RelayCertificates(folder: configuration) }
  /// What is stored.
  public var databaseFile: String { "\(data)/\(Self.filePrefix).db" }
  /// One line of statistics per day.
  public var statisticsFile: String { "\(data)/\(Self.filePrefix)-stats.daily.log" }
  /// The counts of the day while the relay is stopped.
  public var countsFile: String { "\(data)/\(Self.filePrefix)-stats.counts.txt" }
  /// The current figures, for Prometheus.
  public var metricsFile: String { "\(data)/\(Self.filePrefix)-metrics.txt" }

  /// The files that nobody but the server's user may read.
  public var secretFiles: [String] { [certificates.authorityKeyFile, certificates.serverKeyFile, iniFile] }

  /// The files that every relay makes, besides the content that its clients store; the folders may hold others.
  public var ownFiles: [String] {
    [
      iniFile, certificates.authorityCertificateFile, certificates.authorityKeyFile,
      certificates.serverCertificateFile, certificates.serverKeyFile, certificates.fingerprintFile,
      databaseFile, databaseFile + "-wal", databaseFile + "-shm", databaseFile + ".lock", statisticsFile, countsFile,
      metricsFile,
    ]
  }

  /// The files in the folder of data whose names begin so.
  public func dataFiles(named prefix: String) -> [String] {
    (Folder.names(in: data) ?? []).filter { $0.hasPrefix(prefix) }.map { "\(data)/\($0)" }
  }

  /// The credential for TLS; `program` is named where it cannot be read.
  public func credential(program: String) throws(RelayError) -> TLSCredential {
    do { return try certificates.credential() } catch {
      throw .file("the certificates in \(configuration) cannot be read (\(error)); \(program) cert renews them")
    }
  }

  /// Issues a new TLS certificate; the identity is kept. Nil for an algorithm or a name leaves it unchanged.
  public func renewCertificate(
    commonName: String?, algorithm: CertificateKey.Algorithm?
  ) throws(CommandFailure) {
    do { try certificates.rotate(commonName: commonName, algorithm: algorithm) } catch {
      throw CommandFailure(
        description: "no certificate was issued: \(error); restore ca.key and the other files of \(configuration)")
    }
  }

  /// Deletes ``ownFiles``, `others`, and folders that are empty then. `removeContent` does it with what clients stored.
  ///
  /// - Parameter question: What the operator is told before, who has to agree; nil to ask nothing.
  /// - Throws: Where there is nothing, where the operator does not agree, and where a file cannot be deleted.
  public func delete(
    _ others: [String] = [], asking question: String?, requireStopped: () async throws -> Void,
    removeContent: () async -> Void = {}
  ) async throws {
    let files = ownFiles + others
    guard files.contains(where: { access($0, F_OK) == 0 }) else {
      throw CommandFailure(description: "nothing to delete: there is no server in \(configuration) and \(data)")
    }
    // A running server would go on without its files.
    try await requireStopped()
    if let question {
      print(question)
      guard try ServerConsole.isConfirmed("Delete the server?") else {
        throw CommandFailure(description: "nothing was deleted")
      }
    }
    await removeContent()
    for file in files where unlink(file) != 0 && errno != ENOENT {
      throw CommandFailure(description: "\(file): \(String(cString: strerror(errno)))")
    }
    rmdir(configuration)
    rmdir(data)
    print("Deleted the server's files in \(configuration) and \(data)")
  }
}
