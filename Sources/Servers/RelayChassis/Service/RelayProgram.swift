import ProgramSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The life of a relay's program: signals, what it prints, and what it tells the service manager.
public struct RelayProgram: Sendable {
  private let reloads = ReloadSignals()
  private let stops = StopSignals()
  private let manager: ServiceManager

  /// Takes over SIGINT, SIGTERM and SIGHUP: what arrives before ``run(version:summary:reload:stop:)`` is done then.
  public init(manager: ServiceManager = .ofThisProgram) { self.manager = manager }

  /// Warns of settings without effect, and of files with secrets that others than their owner can read.
  public static func warn(_ warnings: [String], _ folders: some RelayFolders) {
    for warning in warnings + ServerConsole.readableKeys(folders.secretFiles) {
      ServerConsole.log("Warning: \(warning)")
    }
  }

  /// Prints that the relay runs, serves until SIGINT or SIGTERM, and stops it.
  ///
  /// - Parameters:
  ///   - version: The version of the program.
  ///   - summary: The settings in effect, a line each.
  ///   - reload: Reads the settings again, on SIGHUP; returns the lines to print. Where it fails, everything stays as
  ///     it was.
  ///   - stop: Stops the relay.
  public func run(
    version: String, summary: [String], reload: @escaping @Sendable () throws -> [String], stop: () async -> Void
  ) async {
    ServerConsole.log("\(version) started, process \(getpid())")
    for line in summary { ServerConsole.log(line) }
    manager.tell(.ready)
    let reloading = Task {
      for await _ in reloads.arrivals {
        manager.tell(.reloading)
        do {
          for line in try reload() { ServerConsole.log(line) }
        } catch {
          ServerConsole.log("Not reloaded, the settings stay as they were: \(error)")
        }
        manager.tell(.ready)
      }
    }
    await stops.wait()
    reloading.cancel()
    await reloading.value
    manager.tell(.stopping)
    ServerConsole.log("Stopping")
    await stop()
    ServerConsole.log("Stopped")
  }

  /// Runs a command of the program; the time precedes its failure, as everything that the running server prints.
  ///
  /// - Returns: Whether it succeeded.
  public static func runLoggingFailure(_ body: () async throws -> Void) async throws -> Bool {
    do { try await body() } catch let failure as CommandFailure {
      ServerConsole.log("Error: \(failure)", isError: true)
      return false
    }
    return true
  }
}
