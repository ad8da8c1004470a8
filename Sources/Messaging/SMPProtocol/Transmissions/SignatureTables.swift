import SimplexCrypto
import Synchronization

/// Tables of the Ed25519 keys that authorized something last, of all sessions of a relay. See
/// `SimplexCrypto.SignatureTable`.
///
/// A session uses only tables of keys that proved themselves in it. A client without the right key finds no difference
/// between a queue that exists and one that does not: checks of both are slow.
public final class SignatureTables: Sendable {
  /// As words: they are hashed and compared for every command.
  private struct Owner: Hashable {
    let session: UInt64
    let key0, key1, key2, key3: UInt64

    init(session: UInt64, key: Ed25519.PublicKey) {
      self.session = session
      (key0, key1, key2, key3) = key.words
    }
  }

  private struct State {
    var tables: RecentValues<Owner, SignatureTable>
    var lastSession: UInt64 = 0
  }

  private let state: Mutex<State>

  /// No tables. Each takes about 5 KB; those of the last `limit` keys are kept, and of up to as many before.
  public init(limit: Int = 1_024) { state = Mutex(State(tables: RecentValues(limit: limit))) }

  /// A number for a session.
  func newSession() -> UInt64 {
    state.withLock { state in
      state.lastSession &+= 1
      return state.lastSession
    }
  }

  subscript(session: UInt64, key: Ed25519.PublicKey) -> SignatureTable? {
    state.withLock { $0.tables[Owner(session: session, key: key)] }
  }

  func keep(_ table: SignatureTable, of session: UInt64) {
    state.withLock { $0.tables[Owner(session: session, key: table.key)] = table }
  }
}

extension PublicKey<Ed25519> {
  /// The 32 bytes in four words.
  fileprivate var words: (UInt64, UInt64, UInt64, UInt64) {
    rawBytes.withUnsafeBytes { bytes in
      precondition(bytes.count == 32)
      func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
      return (word(0), word(1), word(2), word(3))
    }
  }
}
