import AgentCore

#if canImport(Glibc)
  import Glibc
#endif

extension Agent {
  /// Moves the log of the database to its file, and empties it, so that it has no copies of what was deleted.
  /// - Throws: `inactive` where the database is closed, which has emptied the log, or why it is about to be opened
  ///   again.
  public func emptyLog() throws(AgentError) {
    try withEngine { (engine, _) throws(AgentError) in try engine.emptyLog() }
  }

  /// Releases memory when nothing happened for some seconds, or after ten seconds of use, but not more than once a
  /// minute: subscribing to thousands of queues takes several times what keeping them does.
  func restWhenIdle() {
    wasUsed = true
    guard resting == nil else { return }
    resting = Task { [weak self] in
      for _ in 0..<5 {
        try? await Task.sleep(for: .seconds(2))
        if Task.isCancelled { return }
        if await self?.isIdle() != false { break }
      }
      await self?.rest()
      try? await Task.sleep(for: .seconds(60))
      if !Task.isCancelled { await self?.finishResting() }
    }
  }

  /// Whether nothing happened since this was last asked.
  private func isIdle() -> Bool {
    defer { wasUsed = false }
    return !wasUsed
  }

  private func rest() {
    releaseMemory()
    #if canImport(Glibc)
      // Its arenas keep what was freed in between what is in use; other allocators release it by themselves. Its
      // module does not have the function.
      typealias Trim = @convention(c) (Int) -> Int32
      if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    #endif
  }

  private func finishResting() {
    resting = nil
    if wasUsed { restWhenIdle() }
  }
}
