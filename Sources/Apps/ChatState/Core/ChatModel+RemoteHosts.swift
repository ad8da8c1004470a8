import ChatAPI

// Mobile devices whose profiles this device uses.
extension ChatModel {
  /// Loads the list of known mobile devices, with the states of their sessions.
  @discardableResult
  public func listRemoteHosts() async throws(ChatError) -> [RemoteHostInfo] {
    try await request(.terminal(.listRemoteHosts)) { (response: ChatResponse3) throws(ChatError) in
      guard case .remoteHostList(let hosts) = response else { throw response.unexpected }
      self.updateHosts { $0.hosts = hosts }
      return hosts
    }
  }

  /// Starts a session, and shows its link; see ``RemoteHostsState/pairing``.
  /// - Parameters:
  ///   - start: a new mobile device, or a known one, with an announcement in the network or without.
  ///   - address: the address of this device to use; nil for the most likely one, or that of the last session.
  ///   - port: the port; nil for that of the last session, or any.
  public func startRemoteHost(
    _ start: RemoteHostStart, address: RCCtrlAddress? = nil, port: UInt16? = nil
  ) async throws(ChatError) {
    try await request(.terminal(.startRemoteHost(host: start, address: address, port: port))) {
      (response: ChatResponse3) throws(ChatError) in
      guard case .remoteHostStarted(let host, let link, let port, let addresses) = response else {
        throw response.unexpected
      }
      self.updateHosts { hosts in
        let state = RemoteHostSessionState.connecting(invitation: link)
        hosts.setState(state, of: host?.remoteHostId)
        hosts.pairing = RemoteHostPairing(
          host: host, sessionState: state, localAddresses: addresses, port: port)
      }
    }
  }

  /// Shows the profile of a mobile device, or with nil that of this device.
  public func switchRemoteHost(_ id: Int64?) async throws(ChatError) {
    try await request(.terminal(.switchRemoteHost(hostId: id))) { (response: ChatResponse3) throws(ChatError) in
      guard case .currentRemoteHost(let host) = response else { throw response.unexpected }
      self.updateHosts { $0.currentId = host?.remoteHostId }
      if let host {
        self.updateHosts { $0.put(host) }
        self.onEffect(.switchToRemoteHost(host.remoteHostId))
      } else {
        self.onEffect(.switchToLocalSession)
      }
    }
  }

  /// Ends a session, or looking for a mobile device that was lost; nil for one that is not known yet.
  public func stopRemoteHost(_ id: Int64?) async throws(ChatError) {
    try await requestDone(.terminal(.stopRemoteHost(hostId: id)))
    var wasCurrent = false
    updateHosts { wasCurrent = $0.end(id) }
    if wasCurrent { onEffect(.switchToLocalSession) }
  }

  /// Forgets a mobile device, with its files on this device; it then needs a new link.
  public func deleteRemoteHost(_ id: Int64) async throws(ChatError) {
    try await requestDone(.terminal(.deleteRemoteHost(hostId: id)))
    let wasCurrent = state.remoteHosts.currentId == id
    updateHosts { $0.remove(id) }
    if wasCurrent { onEffect(.switchToLocalSession) }
  }

  private func updateHosts(_ change: (inout RemoteHostsState) -> Void) {
    update { state in
      change(&state.remoteHosts)
      state.changes.insert(.remote)
    }
  }
}
