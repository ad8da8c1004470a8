import ChatAPI
import ChatStore
import Foundation
import SimplexCrypto
import Synchronization

/// A file in a folder of its own, removed with it.
final class TestFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "chatstore-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.appending(path: "test_chat.db").path }
}

/// A time that moves by one second with each look, so that everything has a time of its own.
final class TestClock: Sendable {
  private let seconds = Mutex(1_700_000_000.0)

  var now: Date {
    seconds.withLock {
      $0 += 1
      return Date(timeIntervalSince1970: $0)
    }
  }

  func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}

func memoryStore(clock: TestClock = TestClock()) throws -> ChatDatabase {
  try ChatDatabase(path: ":memory:", clock: { clock.now })
}

func profile(_ name: String, preferences: Preferences? = nil) -> Profile {
  Profile(displayName: name, fullName: "", preferences: preferences)
}

extension ChatDatabase {
  func makeUser(_ name: String = "alice") throws -> User {
    try transaction { db in
      let user = try db.createUser(agentUserId: "1", profile: profile(name))
      _ = try db.createNoteFolder(of: user)
      return user
    }
  }
}

extension ChatDatabase {
  /// Deletes a user with everything, in transactions of this size.
  func delete(_ user: User, limit: Int = 50) throws {
    try transaction { try $0.deleteUser(user) }
    while try !transaction({ try $0.deleteSome(ofDeletedUser: user.userId, limit: limit) }) {}
  }
}

extension Contact {
  /// The conversation with the contact.
  var chat: ChatRef { ChatRef(chatType: .direct, chatId: contactId) }
}

/// The error of the store that `body` throws.
func storeError(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    guard case .errorStore(let storeError) = error as? ChatError else { return nil }
    return storeError
  }
}
