import ChatAPI
import SimpleXChat
import SimplexJSON

/// Opens the databases and makes a controller, see `simplex.h`.
@_cdecl("chat_migrate_init")
public func chatMigrateInit(
  _ path: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ confirmation: UnsafePointer<CChar>?,
  _ controller: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> UnsafeMutablePointer<CChar>? {
  chatMigrateInitKey(path, key, 0, confirmation, 0, controller)
}

/// Opens the databases and makes a controller, see `simplex.h`.
@_cdecl("chat_migrate_init_key")
public func chatMigrateInitKey(
  _ path: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ keepsKey: CInt,
  _ confirmation: UnsafePointer<CChar>?, _ background: CInt,
  _ controller: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> UnsafeMutablePointer<CChar>? {
  guard let prefix = text(path), let key = text(key), let controller else {
    let missing = path == nil ? "path is null" : key == nil ? "key is null" : "ctrl is null"
    return owned(json: DBMigrationResult.errorSQL(dbFile: text(path) ?? "", migrationSQLError: missing))
  }
  guard let confirmation = ChatOptions.Confirmation(rawValue: text(confirmation) ?? "") else {
    return owned(json: DBMigrationResult.invalidConfirmation)
  }
  var options = ChatOptions(databasePrefix: prefix, key: key)
  options.keepsKey = keepsKey != 0
  options.confirmation = confirmation
  options.importsReferenceProfiles = background == 0
  options.deviceName = "Mobile"
  // SDKs have no option for servers.
  options.takeServersFromEnvironment()
  let invalidServers = options.invalidServers
  guard invalidServers.isEmpty else { return owned(json: invalidEnvironment(invalidServers)) }
  // The function returns when the import is complete, and has no other way to tell how far it is.
  options.importProgress = { percent in
    writeLog("\(percent)% of the messages of the reference app's profile are imported")
  }
  let opening = options
  let opened = waiting { () -> Result<ChatController, ChatOpeningError> in
    do throws(ChatOpeningError) { return .success(try await ChatController.open(opening)) } catch {
      return .failure(error)
    }
  }
  switch opened {
  case .success(let core):
    controller.pointee = ControllerTable.add(OpenController(core: core, sums: ProcessOptions.sums))
    return owned(json: DBMigrationResult.ok)
  case .failure(let error):
    return owned(json: error.result)
  }
}

/// The result where variables of the environment have texts that are not addresses of servers.
private func invalidEnvironment(_ servers: [String]) -> DBMigrationResult {
  let variables = "\(ChatOptions.smpServersVariable), \(ChatOptions.xftpServersVariable)"
  let text = "no address of a server, in \(variables): \(servers.joined(separator: " "))"
  return .agentError(agentError: .CMD(cmdErr: .SYNTAX, errContext: text))
}

/// Closes the databases of a controller.
@_cdecl("chat_close_store")
public func chatCloseStore(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
  storeOperation(controller) { (core) throws(ChatError) in try await core.close() }
}

/// Opens the databases of a controller again.
@_cdecl("chat_reopen_store")
public func chatReopenStore(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
  storeOperation(controller) { (core) throws(ChatError) in try await core.reopen() }
}

private func storeOperation(
  _ controller: UnsafeMutableRawPointer?,
  _ operation: @escaping @Sendable (ChatController) async throws(ChatError) -> Void
) -> UnsafeMutablePointer<CChar>? {
  errorText { () throws(InterfaceError) in
    let core = try ControllerTable.required(controller).core
    let error = waiting { () -> ChatError? in
      do throws(ChatError) {
        try await operation(core)
        return nil
      } catch {
        return error
      }
    }
    if let error { throw InterfaceError(error.text) }
  }
}

/// Carries out a command.
@_cdecl("chat_send_cmd")
public func chatSendCmd(
  _ controller: UnsafeMutableRawPointer?, _ command: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  chatSendCmdRetry(controller, command, 0)
}

/// Carries out a command.
@_cdecl("chat_send_cmd_retry")
public func chatSendCmdRetry(
  _ controller: UnsafeMutableRawPointer?, _ command: UnsafePointer<CChar>?, _ retryNumber: CInt
) -> UnsafeMutablePointer<CChar>? {
  guard let open = ControllerTable.find(controller) else { return unusable(controller) }
  guard let command = text(command) else { return failure("command is null", open.sums) }
  return owned(json: waiting { await open.core.sendText(command) }, sums: open.sums)
}

/// Carries out a command with the profile of a mobile device that this one controls.
@_cdecl("chat_send_remote_cmd")
public func chatSendRemoteCmd(
  _ controller: UnsafeMutableRawPointer?, _ remoteHost: CInt, _ command: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  chatSendRemoteCmdRetry(controller, remoteHost, command, 0)
}

/// Carries out a command with the profile of a mobile device that this one controls.
@_cdecl("chat_send_remote_cmd_retry")
public func chatSendRemoteCmdRetry(
  _ controller: UnsafeMutableRawPointer?, _ remoteHost: CInt, _ command: UnsafePointer<CChar>?, _ retryNumber: CInt
) -> UnsafeMutablePointer<CChar>? {
  guard let open = ControllerTable.find(controller) else { return unusable(controller) }
  guard let command = text(command) else { return failure("command is null", open.sums) }
  let host = Int64(remoteHost)
  let result = waiting {
    await open.core.sendText(command, toRemoteHost: host, retryNumber: Int(retryNumber))
  }
  return owned(json: RemoteResult(host: host, result: result), sums: open.sums)
}

/// The next event; waits for it.
@_cdecl("chat_recv_msg")
public func chatRecvMsg(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
  guard let open = ControllerTable.find(controller) else { return unusable(controller) }
  guard let event = waiting(for: { await nextEvent(of: open.core) }) else {
    return failure("the store is closed", open.sums)
  }
  return owned(json: event, sums: open.sums)
}

/// The next event, or an empty text if none arrives within this number of microseconds.
@_cdecl("chat_recv_msg_wait")
public func chatRecvMsgWait(_ controller: UnsafeMutableRawPointer?, _ wait: CInt) -> UnsafeMutablePointer<CChar>? {
  guard let open = ControllerTable.find(controller) else { return unusable(controller) }
  let time = Duration.microseconds(Int64(max(0, wait)))
  let event = waiting { () -> RemoteResult<ChatEvent>? in
    let end = ContinuousClock.now + time
    if let event = await nextEvent(of: open.core, before: end) { return event }
    // The queue of a closed controller answers at once; callers ask again in a loop.
    try? await Task.sleep(until: end, clock: .continuous)
    return nil
  }
  guard let event else { return owned("") }
  return owned(json: event, sums: open.sums)
}

/// The next event that apps know; events for terminals are skipped.
private func nextEvent(
  of core: ChatController, before end: ContinuousClock.Instant? = nil
) async -> RemoteResult<ChatEvent>? {
  while true {
    let output = await core.eventQueue.nextOfAnyDevice(within: end.map { max(.zero, $0 - .now) })
    switch output {
    case .event(.result(.terminalEvent)), .remoteEvent(_, .result(.terminalEvent)), .response: continue
    case .event(let event): return RemoteResult(host: nil, result: event)
    case .remoteEvent(let host, let event): return RemoteResult(host: host, result: event)
    case nil: return nil
    }
  }
}

// MARK: - Errors

private func unusable(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
  failure(controller == nil ? "controller is null" : "controller does not exist", ProcessOptions.sums)
}

private func failure(_ message: String, _ sums: JSONSums) -> UnsafeMutablePointer<CChar>? {
  owned(json: APIResult<ChatResponse>.error(.error(errorType: .exception(message: message))), sums: sums)
}

/// A result of this device, or of a mobile device.
private struct RemoteResult<Value: ChatAPIResult>: JSONEncodable, Sendable {
  let host: Int64?
  let result: APIResult<Value>

  func encode(to json: inout JSONWriter) { result.encode(to: &json, remoteHostId: host) }
}
