#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Where programs of a user keep their files. Source: XDG Base Directory Specification.
  public struct XDGFolders: Hashable, Sendable {
    /// Settings.
    public var config: String
    /// Data.
    public var data: String

    /// The folders that an environment names, else the standard ones in the home folder. Relative paths are invalid.
    public init(_ environment: [String: String] = XDGFolders.environment) {
      let home = environment["HOME"] ?? ""
      func folder(_ name: String, _ standard: String) -> String {
        if let path = environment[name], path.hasPrefix("/") { return path }
        return home + standard
      }
      config = folder("XDG_CONFIG_HOME", "/.config")
      data = folder("XDG_DATA_HOME", "/.local/share")
    }

    /// The variables of the environment of this process that are used here.
    public static var environment: [String: String] {
      var found: [String: String] = [:]
      for name in ["HOME", "PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS"] {
        if let value = getenv(name) { found[name] = String(cString: value) }
      }
      return found
    }
  }

  /// Secrets in the desktop's secret service (GNOME Keyring, KWallet), through `secret-tool` of libsecret. Secrets pass
  /// through pipes, never through arguments.
  public struct SecretServiceStore: SecretStore {
    private let tool: String
    private let application: String

    /// The secret service; nil if there is no session of a desktop or no `secret-tool`.
    public init?(application: String, environment: [String: String] = XDGFolders.environment) {
      guard environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false else { return nil }
      let folders = (environment["PATH"] ?? "").split(separator: ":")
      guard let folder = folders.first(where: { access("\($0)/secret-tool", X_OK) == 0 }) else { return nil }
      tool = "\(folder)/secret-tool"
      self.application = application
    }

    /// The secret with a name.
    public func get(_ name: SecretName) throws(PreferenceError) -> String? {
      let (status, output) = try run(["lookup"] + attributes(name), input: "")
      // The status 1 means "not found" as well as failure; a secret service that works never has an empty secret.
      return status == 0 ? output : nil
    }

    /// Keeps a secret.
    public func set(_ secret: String, _ name: SecretName) throws(PreferenceError) {
      let label = "--label=\(application) \(name.rawValue)"
      let (status, _) = try run(["store", label] + attributes(name), input: secret)
      guard status == 0 else { throw .refused(code: status) }
    }

    /// Removes a secret.
    public func remove(_ name: SecretName) throws(PreferenceError) {
      let (status, _) = try run(["clear"] + attributes(name), input: "")
      guard status == 0 || status == 1 else { throw .refused(code: status) }
    }

    private func attributes(_ name: SecretName) -> [String] { ["application", application, "secret", name.rawValue] }

    private func run(_ arguments: [String], input: String) throws(PreferenceError) -> (Int32, String) {
      let toTool = try privatePipe()
      let fromTool: [Int32]
      do throws(PreferenceError) {
        fromTool = try privatePipe()
      } catch {
        for file in toTool { close(file) }
        throw error
      }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, toTool[0], 0)
      posix_spawn_file_actions_adddup2(&actions, fromTool[1], 1)
      var words: [UnsafeMutablePointer<CChar>?] = ([tool] + arguments).map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let failure = posix_spawn(&process, tool, &actions, nil, &words, environ)
      close(toTool[0])
      close(fromTool[1])
      defer { close(fromTool[0]) }
      guard failure == 0 else {
        close(toTool[1])
        throw .refused(code: failure)
      }
      // Secrets are shorter than what a pipe holds: writing cannot block.
      var bytes = Array(input.utf8.prefix(Int(PIPE_BUF)))
      _ = bytes.withUnsafeBytes { write(toTool[1], $0.baseAddress, $0.count) }
      for index in bytes.indices { bytes[index] = 0 }
      close(toTool[1])
      let output = readAll(fromTool[0])
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
      return ((status >> 8) & 0xFF, String(decoding: output, as: UTF8.self))
    }

    /// A pipe that other children do not inherit: the end to read from, and the end to write to.
    private func privatePipe() throws(PreferenceError) -> [Int32] {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw .refused(code: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return ends
    }

    private func readAll(_ file: Int32) -> [UInt8] {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        if count <= 0 { return bytes }
        bytes += buffer[..<count]
      }
    }
  }
#endif
