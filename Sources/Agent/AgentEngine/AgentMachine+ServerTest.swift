import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// The progress of the test of a relay.
struct ServerTestState {
  enum Step {
    case creating
    case securing(ReceiveQueue)
    case deleting(ReceiveQueue)
  }

  var step: Step
}

extension AgentMachine {
  /// Tests whether a relay can be used. The call returns `serverTested`.
  public func testServer(
    _ user: UserID, _ address: ServerWithAuth<SMPScheme>, now: Int64
  ) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      try self.require(user)
      let call = self.makeCallID()
      try self.add(
        .testServer, to: nil, of: 0,
        payload: try ServerTestPayload.codec.encode(ServerTestPayload(user: user.rawValue, address: address)),
        for: TaskCaller(calls: [call], isCall: true), in: transaction)
      return call
    }
    return Accepted(call, effects)
  }

  func prepareServerTest(_ task: AgentTask) throws -> PreparedTask {
    let payload = try ServerTestPayload.codec.decode(task.payload)
    let material = QueueMaterial(
      payload.address, plan: .reply(info: [], subscribe: false), random: random)
    return PreparedTask(
      work: .serverTest(task, material, ServerTestState(step: .creating)),
      session: SessionKey(server: payload.address.server, user: UserID(rawValue: payload.user)),
      request: RequestPipeline.Request(
        .new(material.request(mode: .messaging)), key: .ed25519(material.key), correlation: material.correlation))
  }

  func continueTest(
    _ task: AgentTask, material: QueueMaterial, state: ServerTestState,
    result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    let server = material.server.server
    switch (state.step, result) {
    case (.creating, .success(.ids(let ids))):
      let queue = try material.queue(ids, connection: 0, clientVersion: configuration.clientVersions.highest)
      var random = random
      let sender = Ed25519.PrivateKey(using: &random)
      try nextStep(
        .securing(queue),
        request: RequestPipeline.Request(.key(.ed25519(sender.publicKey)), entity: queue.recipientID, key: queue.key),
        task: task, material: material, in: transaction)
    case (.securing(let queue), .success(.ok)):
      try nextStep(
        .deleting(queue), request: RequestPipeline.Request(.del, entity: queue.recipientID, key: queue.key), task: task,
        material: material,
        in: transaction)
    case (.deleting, .success(.ok)): try finish(task, with: .serverTested(nil), event: nil, in: transaction)
    case (let step, let result):
      let error: SMPClientError =
        switch result {
        case .success(let message): .unexpectedResponse(message.form.keyword)
        case .failure(let error): error
        }
      let failedStep: ServerTestFailure.Step =
        switch (step, error) {
        case (.creating, .network), (.creating, .timeout), (.creating, .noHost), (.creating, .transport): .connect
        // The test may use a session that was there before, and whose relay is gone.
        case (.creating, .closed): .connect
        case (.creating, _): .createQueue
        case (.securing, _): .secureQueue
        case (.deleting, _): .deleteQueue
        }
      try finish(
        task, with: .serverTested(ServerTestFailure(step: failedStep, error: .server(server, error))), event: nil,
        in: transaction)
    }
  }

  /// Sends the next command of a test, in the same lane.
  private func nextStep(
    _ step: ServerTestState.Step, request: RequestPipeline.Request, task: AgentTask, material: QueueMaterial,
    in transaction: AgentTransaction
  ) throws {
    let payload = try ServerTestPayload.codec.decode(task.payload)
    let session = SessionKey(server: payload.address.server, user: UserID(rawValue: payload.user))
    let id = makeRequestID()
    let flight = Flight(
      work: .serverTest(task, material, ServerTestState(step: step)), session: session, startedAt: transaction.now)
    transaction.change {
      self.flights[id] = flight
      self.lanes[task.lane] = .busy(id)
    }
    transaction.effect(.perform(id, session, request, .direct))
  }
}
