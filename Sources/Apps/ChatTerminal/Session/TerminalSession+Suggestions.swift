import ChatAPI

extension TerminalSession {
  /// Shows what a person may have meant, where there is no contact, group or member with the typed name.
  func suggest(for result: APIResult<ChatResponse>) async {
    guard input.isInteractive, case .error(let error) = result, let suggestion = await suggestion(for: error) else {
      return
    }
    input.show(["Did you mean \(.highlight(suggestion))?"])
  }

  private func suggestion(for error: ChatError) async -> String? {
    switch error {
    case .error(.contactNotFound(let name, nil)), .errorStore(.contactNotFoundByName(let name)):
      let contacts = await contacts().map(\.localDisplayName)
      if let contact = NearestWord.of(name, in: contacts) { return "@\(DisplayName.quoted(contact))" }
      return await group(named: name).map { "#\(DisplayName.quoted($0.localDisplayName))" }
    case .errorStore(.groupNotFoundByName(let name)):
      if let group = NearestWord.of(name, in: await groups().map(\.localDisplayName)) {
        return "#\(DisplayName.quoted(group))"
      }
      return await contact(named: name).map { "@\(DisplayName.quoted($0.localDisplayName))" }
    case .errorStore(.groupMemberNameNotFound(let group, let name)):
      return NearestWord.of(name, in: await members(of: group).map(\.localDisplayName)).map(DisplayName.quoted)
    default: return nil
    }
  }
}
