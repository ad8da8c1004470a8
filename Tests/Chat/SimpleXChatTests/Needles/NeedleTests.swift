import SimplexTesting
import Testing

@testable import SimpleXChat

/// What is removed in full leaves nothing behind: a text is planted, removed in each way after it was read or not in
/// each way, and looked for in all that both profiles store, while both programs run. Encrypted databases are searched
/// page by page. What lives as long as a message: `docs/decisions/0021`.
@Suite struct NeedleTests {
  @Test func nothingOfRemovedMessagesIsLeft() async throws {
    try await TestWorld.with(options: { $0.eventLimit = 100_000 }) { world in
      let story = try await NeedleStory(world)
      let (alice, bob) = (story.alice, story.bob)
      let contact = try await story.contact()
      let (team, crew) = (try await story.group("team"), try await story.group("crew"))
      let places = [contact, team]

      try await story.removal("deleted by its reader") {
        for place in places {
          let needles = try await story.plant(in: place, unknown: false)
          _ = try await alice.run("/_delete item \(place.alice) \(Self.ids(needles, \.aliceItem)) internal")
          _ = try await bob.run("/_delete item \(place.bob) \(Self.ids(needles, \.bobItem)) internal")
        }
      }
      try await story.removal("deleted by its author") {
        for place in places {
          let readings = place.readings.filter { $0 != .sent }
          let needles = try await story.plant(in: place, readings)
          _ = try await bob.run("/_delete item \(place.bob) \(Self.ids(needles, \.bobItem)) broadcast")
          for id in needles.compactMap(\.sharedId) {
            for id in [id, "AAAA\(id.dropFirst(4))"] {
              try await story.sendRaw(HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)"}"#), in: place)
            }
          }
          try await story.gone(needles, at: [alice, bob])
        }
      }
      try await story.removal("moderated") {
        let rude = try await story.plant(in: team, team.readings.filter { $0 != .sent }, unknown: false)
        _ = try await alice.run("/_delete member item \(team.alice) \(Self.ids(rude, \.aliceItem))")
        try await story.gone(rude, at: [alice, bob])
      }
      try await story.removal("disappeared") {
        var timed: [Needle] = []
        for place in places {
          timed += try await story.plant(in: place, place.readings.filter { $0 != .never }, ttl: 1)
        }
        try await story.gone(timed, at: [alice, bob])
      }
      try await story.removal("expired") {
        for place in places { _ = try await story.plant(in: place) }
        try await Task.sleep(for: .milliseconds(1_100))
        for (core, names) in [(alice, places.map(\.alice)), (bob, places.map(\.bob))] {
          for name in names {
            _ = try await core.run("/_ttl 1 \(name) 1")
            _ = try await core.run("/_ttl 1 \(name) default")
          }
        }
      }
      try await story.removal("cleared") {
        for place in places {
          _ = try await story.plant(in: place)
          _ = try await alice.run("/_clear chat \(place.alice)")
          _ = try await bob.run("/_clear chat \(place.bob)")
        }
      }
      try await story.removal("deleted with its group") {
        _ = try await story.plant(in: crew)
        _ = try await alice.run("/_delete \(crew.alice)")
        _ = try await bob.event("groupDeleted")
        _ = try await bob.run("/_delete \(crew.bob)")
      }
      try await story.removal("removed with its author") {
        let removed = try await story.plant(in: team, team.readings.filter { $0 != .sent })
        _ = try await alice.run("/_remove \(team.alice) \(team.member ?? 0) messages=on")
        try await story.gone(removed, at: [alice, bob])
      }
      try await story.removal("deleted with its contact") {
        _ = try await story.plant(in: contact)
        _ = try await alice.run("/_delete \(contact.alice) full notify=on")
        _ = try await bob.event("contactDeletedByContact")
        _ = try await bob.run("/_delete \(contact.bob) full notify=off")
      }
      try await story.removal("notes") { try await story.notes() }
      for core in [alice, bob] {
        let files = try await NeedleSearch.files(
          of: core, in: world.folder, passphrase: core.name == "alice" ? NeedleSearch.passphrase : nil)
        #expect(files.isEmpty, "\(files.joined(separator: "\n"))")
      }
    }
  }

  /// SQLite moves rows between pages as others come and go. Rows of many sizes are added and deleted beside rows that
  /// stay, so that pages are split and merged; each time the logs are empty, no deleted text is in a file.
  @Test(arguments: propertySeeds(2)) func nothingOfRowsThatWereMovedIsLeft(seed: UInt64) async throws {
    try await TestWorld.with(options: { $0.eventLimit = 100_000 }) { world in
      for (name, key) in [("alice", NeedleSearch.passphrase), ("bob", "")] {
        var random = SeededGenerator(seed: seed)
        let core = try await world.profile(name, key: key)
        for round in 0..<6 {
          var planted: [Int64] = []
          for batch in 0..<4 {
            let texts = (0..<60).map { number in
              let mark = number % 2 == 0 ? NeedleStory.mark : "kept"
              let length = Int.random(in: 0...(number % 10 == 0 ? 5_000 : 400), using: &random)
              return "\(mark) \(round).\(batch).\(number) \(String(repeating: "x", count: length))"
            }
            let notes = texts.map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}}"# }
            let created = try await core.run("/_create *1 json [\(notes.joined(separator: ","))]")
            for (number, _) in texts.enumerated() where number % 2 == 0 {
              planted.append(
                try #require(created["chatItems"]?[number]?["chatItem"]?["meta"]?["itemId"]?.integerValue))
            }
          }
          planted.shuffle(using: &random)
          for start in stride(from: 0, to: planted.count, by: 40) {
            let ids = planted[start..<min(start + 40, planted.count)].map(String.init).joined(separator: ",")
            _ = try await core.run("/_delete item *1 \(ids) internal")
          }
          let passphrase = key.isEmpty ? nil : key
          let found = try await NeedleSearch.files(of: core, in: world.folder, passphrase: passphrase)
          #expect(found.isEmpty, "seed \(seed), round \(round): \(found.joined(separator: "\n"))")
        }
        #expect(try await core.rows("SELECT count(*) FROM items WHERE text LIKE 'kept %'") == ["720"])
      }
    }
  }

  private static func ids(_ needles: [Needle], _ item: KeyPath<Needle, Int64?>) -> String {
    needles.compactMap { $0[keyPath: item] }.map(String.init).joined(separator: ",")
  }
}
