import FileAccess

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
  ///
  /// The opener gets nothing of this program: no terminal, no open file or connection, and a session of its own, so
  /// that neither Ctrl-Z nor the end of this program reaches it.
  static func open(_ address: String) -> StyledText? {
    #if os(iOS)
      return "There is no browser that this program can ask."
    #else
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
      #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // 0x80 is POSIX_SPAWN_SETSID, which headers show to GNU programs only.
        let flags = 0x80 | Int32(POSIX_SPAWN_SETSIGDEF)
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setflags(&attributes, Int16(flags))
      var ignored = sigset_t()
      sigemptyset(&ignored)
      for signal in [SIGPIPE, SIGHUP, SIGTSTP] { sigaddset(&ignored, signal) }
      posix_spawnattr_setsigdefault(&attributes, &ignored)
      closeOnExec()
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for file: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0) }
      var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(address), nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let failure = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
      guard failure == 0 else {
        return "\(program) cannot be started (\(String(cString: strerror(failure)))): open the address yourself."
      }
      // The process is reaped when it ends: the opener may run as long as the browser.
      let waiting = process
      Task {
        var pause = Duration.milliseconds(100)
        while waitpid(waiting, nil, WNOHANG) == 0 {
          try? await Task.sleep(for: pause)
          pause = min(pause * 2, .seconds(60))
        }
      }
      return nil
    #endif
  }

  /// Marks the open files and connections as not inherited by other programs: libraries do not open all of them so.
  private static func closeOnExec() {
    #if !canImport(Darwin)
      for file in (Folder.names(in: "/proc/self/fd") ?? []).compactMap({ Int32($0) }) where file > 2 {
        let flags = fcntl(file, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { _ = fcntl(file, F_SETFD, flags | FD_CLOEXEC) }
      }
    #endif
  }
}
