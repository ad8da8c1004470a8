import SimplexJSON

// What the people of a story do.

extension GroupStory {
  func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element? {
    choices.randomElement(using: &chance)
  }

  func pause() async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &chance)))
  }

  // MARK: Messages

  /// Somebody does something with messages, or something goes wrong.
  func act() async throws {
    guard let name = pick(Self.names), let place = try await place(name) else { return }
    switch Int.random(in: 0..<28, using: &chance) {
    case 0..<7: try await say(name, place, "")
    case 20..<28: try await doMore(name, place)
    case 7..<10:
      guard let scope = pick(scopes(name, place)) else { return }
      try await say(name, place, scope.scope)
    case 10..<17: try await handle(name, place)
    case 17: try await disturb()
    case 18: try await kill(name)
    default: cores[name] = try await world.restart(name)
    }
    try await pause()
  }

  func nextText(_ name: String) -> String {
    said[name, default: 0] += 1
    return "\(name) \(said[name, default: 0])"
  }

  private func send(_ text: String, _ chat: String) -> String {
    #"/_send \#(chat) json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
  }

  func say(_ name: String, _ place: Place, _ scope: String) async throws {
    let text = nextText(name)
    let answer = try await answer(name, send(text, "#\(place.group)\(scope)"))
    note("\(text) in \(scope): \(brief(answer))")
  }

  func brief(_ answer: JSONValue) -> String {
    let type = answer["type"]?.stringValue ?? ""
    return type.hasPrefix("error") ? String(answer.jsonText().prefix(160)) : type
  }

  /// Somebody edits, deletes, reacts to or reports a message.
  private func handle(_ name: String, _ place: Place) async throws {
    let isSupport = Int.random(in: 0..<3, using: &chance) == 0
    let scope = isSupport ? pick(scopes(name, place))?.scope ?? "" : ""
    let messages = try await messages(name, place.group, scope).filter { message in
      !message.isDeleted && isNew(message)
    }
    let chat = "#\(place.group)\(scope)"
    let command: String
    switch Int.random(in: 0..<12, using: &chance) {
    case 0..<4:
      guard let own = pick(messages.filter { $0.author == name }) else { return }
      let text = #"{"msgContent":{"type":"text","text":"\#(own.text) more"},"mentions":{}}"#
      command = "/_update item \(chat) \(own.id) json \(text)"
    case 4..<6:
      guard let own = pick(messages.filter { $0.author == name }) else { return }
      command = "/_delete item \(chat) \(own.id) broadcast"
    case 6..<9:
      guard let message = pick(messages), let emoji = pick(["👍", "😀", "❤"]) else { return }
      let isOn = Bool.random(using: &chance) ? "on" : "off"
      command = #"/_reaction \#(chat) \#(message.id) \#(isOn) {"type":"emoji","emoji":"\#(emoji)"}"#
    case 9:
      guard scope.isEmpty, let message = pick(messages) else { return }
      command = "/_delete member item #\(place.group) \(message.id)"
    case 10:
      guard scope.isEmpty, let message = pick(messages.filter { $0.author != name }) else { return }
      command = "/_report #\(place.group) \(message.id) reason=spam \(nextText(name))"
    default: command = "/_read chat \(chat)"
    }
    note("\(name) ##> \(command): \(brief(try await answer(name, command)))")
  }

  private func disturb() async throws {
    guard Bool.random(using: &chance) else {
      note("links break")
      return network.breakLinks()
    }
    note("the relay restarts")
    await network.stopRelay()
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &chance)))
    try network.startRelay()
  }

  private func kill(_ name: String) async throws {
    note("\(name) is killed")
    cores[name] = try await world.kill(name)
  }

  // MARK: Members and preferences

  func setRole(_ role: String, of name: String, by other: String) async throws {
    guard let place = try await place(other), let member = place.member(name), member.role != role else { return }
    note("\(other) makes \(name) \(role)")
    try await done(other, "/_member role #\(place.group) \(member.id) \(role)")
  }

  /// Somebody changes members or preferences, while nothing else happens.
  func changeMembers() async throws {
    guard let name = pick(Self.names.dropFirst()) else { return }
    guard try await place(name) != nil else { return try await joinAgain(name) }
    switch Int.random(in: 0..<10, using: &chance) {
    case 0..<2: try await setRole(pick(["author", "member", "moderator", "admin"]) ?? "member", of: name, by: "alice")
    case 2..<4: try await setBlocked(name, by: pick(Self.names) ?? "alice")
    case 4: try await changeSettings()
    case 5..<7: try await remove(name, by: pick(["alice", "bob"]) ?? "alice")
    default: try await leave(name)
    }
    guard try await place(name) == nil, Int.random(in: 0..<4, using: &chance) > 0 else { return }
    try await settle()
    try await joinAgain(name)
  }

  private func setBlocked(_ name: String, by other: String) async throws {
    guard let place = try await place(other), let member = place.member(name) else { return }
    let answer = try await answer(
      other, "/_block #\(place.group) \(member.id) blocked=\(member.isBlocked ? "off" : "on")")
    note("\(other) blocks \(name), or no longer: \(brief(answer))")
  }

  private func changeSettings() async throws {
    settings.fullDelete = Bool.random(using: &chance)
    settings.reactions = Bool.random(using: &chance)
    settings.reviews = Bool.random(using: &chance)
    settings.number += 1
    note("alice sets \(settings)")
    try await done("alice", "/_group_profile #1 \(settings.profile)")
  }

  private func remove(_ name: String, by other: String) async throws {
    guard let place = try await place(other), let member = place.member(name) else { return }
    let messages = Bool.random(using: &chance) ? "on" : "off"
    let answer = try await answer(other, "/_remove #\(place.group) \(member.id) messages=\(messages)")
    note("\(other) removes \(name), messages=\(messages): \(brief(answer))")
  }

  private func leave(_ name: String) async throws {
    guard let place = try await place(name) else { return }
    note("\(name) leaves: \(brief(try await answer(name, "/_leave #\(place.group)")))")
  }

  /// Joins again by the link; who is under review talks with moderators until one of them, or two at once, accept.
  private func joinAgain(_ name: String) async throws {
    for group in try await answer(name, "/_groups 1")["groups"]?.arrayValue ?? [] {
      let id = (group["groupInfo"] ?? group)["groupId"]?.integerValue ?? 0
      try await done(name, "/_delete #\(id) full notify=off")
    }
    try await join(name)
    guard try await place(name)?.isPending == true else { return }
    try await settle()
    try await converge("while \(name) waits", messages: false)
    for _ in 0..<Int.random(in: 2...6, using: &chance) {
      if Bool.random(using: &chance) { try await act() } else { try await talk(about: name) }
    }
    try await settle()
    try await converge("after \(name) waited", messages: true)
    try await checkWaiting(name)
    try await accept(name)
    try await settle()
    try await eventually("\(name) is admitted") { try await self.place(name)?.status == "connected" }
  }

  private func talk(about name: String) async throws {
    guard let place = try await place(name) else { return }
    if Bool.random(using: &chance) { return try await say(name, place, "(_support)") }
    guard let moderator = try await moderators(name).randomElement(using: &chance),
      let place = try await self.place(moderator), let member = place.member(name)
    else { return }
    try await say(moderator, place, "(_support:\(member.id))")
  }

  private func moderators(_ except: String) async throws -> [String] {
    var found: [String] = []
    for name in Self.names where name != except {
      if let place = try await place(name), place.moderates, !place.isPending { found.append(name) }
    }
    return found
  }

  /// Who waits knows moderators only, and has no message of the group.
  private func checkWaiting(_ name: String) async throws {
    guard let place = try await place(name) else { return }
    let strangers = Set(place.members.map(\.name)).subtracting(try await moderators(name))
    guard strangers.isEmpty else { throw Problem(description: "\(name) waits, and knows \(strangers)") }
    let messages = try await messages(name, place.group)
    guard messages.isEmpty else { throw Problem(description: "\(name) waits, and sees \(messages.map(\.shown))") }
    for other in Self.names where other != name {
      guard let seen = try await self.place(other), !seen.moderates, let member = seen.member(name) else { continue }
      throw Problem(description: "\(name) waits, and \(other) knows \(member)")
    }
  }

  private func accept(_ name: String) async throws {
    var commands: [(name: String, command: String)] = []
    for moderator in try await moderators(name).shuffled(using: &chance).prefix(2) {
      guard let place = try await place(moderator), let member = place.member(name) else { continue }
      commands.append((moderator, "/_accept member #\(place.group) \(member.id) member"))
    }
    if Bool.random(using: &chance) { commands = Array(commands.prefix(1)) }
    try await atOnce(commands)
  }

  /// Several people do something at the same time.
  private func atOnce(_ commands: [(name: String, command: String)]) async throws {
    let calls = commands.compactMap { call in cores[call.name].map { ($0.controller, call.command) } }
    let answers = await withTaskGroup(of: (Int, [UInt8]).self) { group in
      for (index, (controller, command)) in calls.enumerated() {
        group.addTask { (index, await controller.sendText(command).jsonBytes()) }
      }
      var answers: [(Int, [UInt8])] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    for (index, bytes) in answers {
      let value = try JSONValue(jsonBytes: bytes)
      let answer = value["result"] ?? value["error"] ?? value
      note("at once: \(commands[index].name) ##> \(commands[index].command): \(brief(answer))")
      let error = answer["storeError"]?["type"]?.stringValue ?? ""
      if error.hasPrefix("dB") || error == "internalError" { throw Problem(description: answer.jsonText()) }
    }
  }

  // MARK: All at once

  /// Members, preferences and messages change at the same time.
  func actAtOnce() async throws {
    for _ in 0..<Int.random(in: 3...6, using: &chance) {
      var commands: [(name: String, command: String)] = []
      for name in Self.names {
        guard let place = try await place(name) else { continue }
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
          if let command = try await wildCommand(name, place) { commands.append((name, command)) }
        }
      }
      try await atOnce(commands)
      if Int.random(in: 0..<3, using: &chance) == 0 { try await disturb() }
      if Int.random(in: 0..<3, using: &chance) == 0, let name = pick(Self.names) { try await kill(name) }
    }
  }

  private func wildCommand(_ name: String, _ place: Place) async throws -> String? {
    let other = pick(place.members.filter { $0.isCurrent || $0.isPending })
    switch Int.random(in: 0..<20, using: &chance) {
    case 0..<8:
      guard let (_, scope) = pick(scopes(name, place)) else { return nil }
      return send(nextText(name), "#\(place.group)\(scope)")
    case 8..<11:
      guard let other, let role = pick(["author", "member", "moderator", "admin"]) else { return nil }
      return "/_member role #\(place.group) \(other.id) \(role)"
    case 11..<13:
      guard let other else { return nil }
      return "/_block #\(place.group) \(other.id) blocked=\(Bool.random(using: &chance) ? "on" : "off")"
    case 13:
      guard let other else { return nil }
      return "/_remove #\(place.group) \(other.id) messages=\(Bool.random(using: &chance) ? "on" : "off")"
    case 14:
      guard name != "alice" else {
        settings.fullDelete.toggle()
        settings.number += 1
        return "/_group_profile #1 \(settings.profile)"
      }
      return Bool.random(using: &chance) ? "/_leave #\(place.group)" : nil
    case 15:
      guard let other else { return nil }
      return "/_accept member #\(place.group) \(other.id) member"
    case 16:
      guard let other else { return nil }
      return "/_delete member chat #\(place.group) \(other.id)"
    case 17..<19:
      guard let message = pick(try await messages(name, place.group).filter({ !$0.isDeleted })) else { return nil }
      return message.author == name
        ? "/_delete item #\(place.group) \(message.id) broadcast" : "/_delete member item #\(place.group) \(message.id)"
    default: return "/_read chat #\(place.group)"
    }
  }
}
