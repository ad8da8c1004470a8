extension ChatStory {
  /// Who takes part.
  struct Cast: Sendable {
    /// The people; each is connected with the next, the last with the first.
    var names: [String]
    /// How many relays there are. Each person makes queues at one, every third one at all of them.
    var relays = 1
    /// Whether devices lose power, not only programs.
    var losesPower = false

    static let two = Cast(names: ["alice", "bob"])
    static let three = Cast(names: ["alice", "bob", "cath"], relays: 2)
    static let four = Cast(names: ["alice", "bob", "cath", "dora"], relays: 2)

    /// The same people with devices that lose power.
    var losingPower: Cast {
      var cast = self
      cast.losesPower = true
      return cast
    }

    /// The relays at which a person makes queues.
    func relays(of name: String, _ network: MemoryNetwork) -> [String] {
      let number = names.firstIndex(of: name) ?? 0
      return (number % 3 == 2 ? network.addresses : [network.addresses[number % relays]]).map(\.description)
    }

    var pairs: [Pair] {
      guard names.count > 2 else { return [Pair(from: names[0], to: names[1])] }
      return names.indices.map { Pair(from: names[$0], to: names[($0 + 1) % names.count]) }
    }
  }

  /// Two people, in one direction.
  struct Pair: Hashable, Sendable {
    var from: String
    var to: String

    var reversed: Pair { Pair(from: to, to: from) }
  }
}
