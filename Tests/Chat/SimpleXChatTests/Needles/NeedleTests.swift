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

  private static func ids(_ needles: [Needle], _ item: KeyPath<Needle, Int64?>) -> String {
    needles.compactMap { $0[keyPath: item] }.map(String.init).joined(separator: ",")
  }
}
