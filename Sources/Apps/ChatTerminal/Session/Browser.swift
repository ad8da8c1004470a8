#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The desktop's program that opens web addresses.
enum Browser {
  #if canImport(Darwin)
    private static let program = "open"
  #else
    private static let program = "xdg-open"
  #endif

  /// Starts the desktop's opener for an address, without a shell. Returns an explanation if it cannot be started.
  static func open(_ address: String) -> StyledText? {
    #if os(iOS)
      return "There is no browser that this program can ask."
    #else
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
      #else
        var actions = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for file: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0) }
      var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(address), nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let failure = posix_spawnp(&process, program, &actions, nil, &words, environ)
      guard failure == 0 else {
        return "\(program) cannot be started (\(String(cString: strerror(failure)))): open the address yourself."
      }
      // The process is reaped when it ends: the opener may run as long as the browser.
      let waiting = process
      Task.detached {
        while waitpid(waiting, nil, WNOHANG) == 0 { try? await Task.sleep(for: .seconds(1)) }
      }
      return nil
    #endif
  }
}
