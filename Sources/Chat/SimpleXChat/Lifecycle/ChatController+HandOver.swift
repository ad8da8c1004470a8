import ChatAPI
import ChatStore
import SQLiteKit
import SimplexCrypto
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Apps make a controller for databases that an earlier one of the same process still has, and forget that one: its
// chat is not started, so it hands them over. Other processes do the same in two steps, closing and opening.

/// The controllers of this process that may have databases.
enum DatabaseHolders {
  private struct Holder {
    weak var controller: ChatController?
  }

  private static let holders = Mutex<[Holder]>([])

  /// Remembers a controller as long as it is used.
  static func add(_ controller: ChatController) {
    holders.withLock { holders in
      holders.removeAll { $0.controller == nil }
      holders.append(Holder(controller: controller))
    }
  }

  /// The controllers whose lock file this is, by whatever path.
  static func controllers(withLock path: String) -> [ChatController] {
    guard let file = identity(of: path) else { return [] }
    return holders.withLock { $0.compactMap(\.controller) }.filter { identity(of: $0.options.lockFile) == file }
  }

  /// The device and number of a file; nil where there is none.
  private static func identity(of path: String) -> [UInt64]? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    return [UInt64(truncatingIfNeeded: found.st_dev), UInt64(truncatingIfNeeded: found.st_ino)]
  }
}

extension DatabaseLease {
  /// How long an opening waits for another process that has the databases and may be about to release them.
  private static var waitLimit: Duration { .seconds(1) }

  /// Takes the lease for a new controller. A controller of this process that is not started hands its databases over.
  func take(for options: ChatOptions, _ passphrase: SecretBytes?) async throws(ChatOpeningError) {
    let deadline = ContinuousClock.now + Self.waitLimit
    while true {
      let failure: SQLiteKit.SQLiteError
      do throws(SQLiteKit.SQLiteError) { return try take() } catch { failure = error }
      // A handing over may take longer than that, and cannot be undone: what was released then is taken.
      let isLate = ContinuousClock.now >= deadline
      let isStarted = try await requestHandOver(for: options, passphrase)
      guard failure.kind == .busy, !isStarted, !isLate else {
        throw ChatOpeningError(ChatStoreOpenError(failure, file: options.chatDatabase).migrationResult)
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Asks the controllers of this process to hand over the databases.
  /// - Returns: whether one keeps them, because its chat is started.
  private func requestHandOver(
    for options: ChatOptions, _ passphrase: SecretBytes?
  ) async throws(ChatOpeningError) -> Bool {
    for controller in DatabaseHolders.controllers(withLock: path) {
      switch await controller.handOver(to: passphrase) {
      case .done, .hasNone: continue
      case .started: return true
      case .otherPassphrase: throw ChatOpeningError(.errorNotADatabase(dbFile: options.agentDatabase))
      }
    }
    return false
  }
}

/// The answer of a controller that was asked for its databases.
enum HandOver: Sendable {
  /// The controller has closed the databases for good.
  case done
  /// The controller does not have the databases.
  case hasNone
  /// The controller keeps the databases: its chat is started.
  case started
  /// The controller keeps the databases: they have another passphrase.
  case otherPassphrase
}

extension ChatController {
  /// The error of everything that is asked of a controller whose databases another one has now.
  static var handedOver: ChatError {
    .errorStore(storeError: .dBException(message: "a controller that was opened later has the databases"))
  }

  /// Closes the databases for another controller of this process, after the commands that are being carried out; later
  /// ones fail. Nothing changes where the chat is started or the passphrase is another one.
  func handOver(to passphrase: SecretBytes?) async -> HandOver {
    guard life.holdsLease, !life.isHandedOver else { return .hasNone }
    if let refusal = refusal(passphrase) { return refusal }
    life.isHandedOver = true
    while life.commandsInFlight > 0 { try? await Task.sleep(for: .milliseconds(2)) }
    return await withLifecycleLock { () -> HandOver in
      // One of the commands may have started the chat, or changed the passphrase.
      if let refusal = refusal(passphrase) {
        life.isHandedOver = false
        return refusal
      }
      await cancelSuspension()
      await closeDatabases(parking: false)
      await life.endingFiles?.value
      eventQueue.close()
      return .done
    }
  }

  private func refusal(_ passphrase: SecretBytes?) -> HandOver? {
    // After an import the files may have another one, which the opening checks.
    if store.isOpen, !Self.areEqual(secret, passphrase) { return .otherPassphrase }
    return life.start == nil ? nil : .started
  }

  private static func areEqual(_ one: SecretBytes?, _ other: SecretBytes?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one == other
    default: false
    }
  }
}
