import AgentCore
import AgentEngine
import AgentStore
import SimplexTransport

/// The work on files that an agent has, in lanes: what is in one does not wait for the others.
///
/// Governs: which steps run, and when those that failed are tried again. Does not govern: what is to be done, which the
/// engine remembers; a step that is stopped at any time is found there again.
actor FileTransfers {
  private struct Running {
    let lane: FileLane
    let task: Task<Void, Never>
  }

  /// The pause before a step is repeated that could not be recorded.
  private static let pause: Int64 = 1_000
  /// The pause before a step is repeated that would fail at once, as where the disk is full.
  private static let longPause: Int64 = 30_000
  /// Lanes are looked into at least after this time: the clock may be set.
  private static let longestPause: Int64 = 600_000
  /// How many steps of a lane others do not wait for.
  private static let delayedLimit = 32

  private weak var agent: Agent?
  private(set) var folders: TransferFolders
  private let connections: FileConnections
  private var network: FileNetwork
  private let onlySends: Bool
  private var isActive: Bool
  private var isOnline: Bool
  private var hasEnded = false
  /// Whether the folder is its own: no step begins before.
  private var hasBegun = false
  /// Steps of another agent that may use the folder.
  private var earlier: Task<Void, Never>?
  /// Counts how often everything was stopped.
  private var epoch = 0
  private var running: [FileWork.Key: Running] = [:]
  /// Lanes that are being looked into, and those that have to be again.
  private var looking: [FileLane: Bool] = [:]
  /// Whose turn it is to begin a step.
  private var schedule: LaneSchedule
  /// The reduced limits of steps that run at once, for lanes that are slow.
  private var reducedLimits: [FileLane: Int] = [:]
  /// When lanes are looked into again; nil for all of them.
  private var alarms: [FileLane?: Task<Void, Never>] = [:]
  /// Steps that would fail at once, and until when: others of their lane do not wait for them.
  private var delayed: [FileLane: [FileWork.Key: ContinuousClock.Instant]] = [:]
  /// Files that were deleted, so that what was looked up before does not begin.
  private var forgotten: Set<FileWork.Key> = []

  init(
    _ agent: Agent, folders: TransferFolders, network: FileNetwork, onlySends: Bool, isActive: Bool, isOnline: Bool
  ) {
    self.agent = agent
    self.folders = folders
    self.network = network
    schedule = LaneSchedule(limit: network.chunksAtOnce)
    self.onlySends = onlySends
    self.isActive = isActive
    self.isOnline = isOnline
    connections = FileConnections(network)
  }

  // MARK: Starting and stopping

  /// Removes what nobody needs any more, and begins to work.
  /// - Parameter earlier: steps of another agent in the same folder. Work begins when they have ended, which is not
  ///   waited for.
  func start(after earlier: Task<Void, Never>?) async throws(AgentError) {
    guard let earlier else { return try await begin() }
    self.earlier = earlier
    Task {
      await earlier.value
      self.earlier = nil
      // What is left of files is removed at another start.
      do throws(AgentError) { try await begin() } catch { await lookEverywhere() }
    }
  }

  private func begin() async throws(AgentError) {
    hasBegun = true
    guard !hasEnded, let agent else { return }
    let open = try await agent.look { (engine, _) throws(AgentError) in try engine.openFiles() }
    let folders = folders
    await BlockingWork.files.run { _ in folders.removeOrphans(except: open) }
    await lookEverywhere()
  }

  /// Stops, permanently.
  /// - Parameter waits: whether no step uses the disk or the network when it returns. Some take long although they are
  ///   stopped, such as flushing a large file; ``idle()`` waits for them later.
  func end(waits: Bool = true) async {
    hasEnded = true
    await stop(waits: waits) { _ in true }
  }

  /// Stops all steps until ``resume()``; as ``end(waits:)`` otherwise.
  func pause(waits: Bool = true) async {
    isActive = false
    await stop(waits: waits) { _ in true }
  }

  /// Whether no step runs.
  var isIdle: Bool { running.isEmpty && earlier == nil }

  /// Waits until the steps that run now have ended.
  func idle() async {
    await earlier?.value
    for task in running.values.map(\.task) { await task.value }
  }

  /// Continues after ``pause()``.
  func resume() async {
    isActive = true
    await lookEverywhere()
  }

  /// Whether the device has a network. Without one no step that needs it runs.
  func setOnline(_ isOnline: Bool) async {
    self.isOnline = isOnline
    if isOnline { return await lookEverywhere() }
    await stop { $0.direction != nil }
  }

  /// Reaches relays in another way; steps that need them begin again.
  func setNetwork(_ network: FileNetwork) async {
    self.network = network
    await stop { $0.direction != nil }
    await lookEverywhere()
  }

  /// Changes where files with relative paths are, for steps that begin from now on.
  func setFilesFolder(_ path: String?) { folders.filesFolder = path }

  private func stop(waits: Bool = true, _ isStopped: (FileLane) -> Bool) async {
    epoch += 1
    reducedLimits = [:]
    delayed = [:]
    schedule.clear()
    for lane in alarms.keys where isStopped(lane ?? .sealing) { alarms.removeValue(forKey: lane)?.cancel() }
    let stopped = running.values.filter { isStopped($0.lane) }.map(\.task)
    for task in stopped { task.cancel() }
    await connections.closeAll(network)
    if waits { for task in stopped { await task.value } }
  }

  private func mayRun(_ lane: FileLane) -> Bool {
    hasBegun && !hasEnded && isActive && (isOnline || lane.direction == nil) && (!onlySends || lane.isOfSending)
  }

  // MARK: Files

  /// Stops the work on files that nobody wants any more, without waiting until it has ended: what is left of them is
  /// removed then. When this returns, no file gets the name of its destination any more.
  func forget(_ files: [Int64], _ kind: TransferFolders.Kind) {
    for file in files {
      forgotten.insert(kind == .sent ? .sent(file, chunk: 0) : .received(file, chunk: 0))
      for step in steps(of: file, kind) { step.cancel() }
    }
    look(into: .removing)
    if looking.isEmpty { forgotten = [] }
  }

  /// What is being done for a file.
  private func steps(of file: Int64, _ kind: TransferFolders.Kind) -> [Task<Void, Never>] {
    running.filter { $0.key.isOf(file, kind) }.map(\.value.task)
  }

  // MARK: Lanes

  /// Looks into all lanes that have work.
  func lookEverywhere() async {
    guard !hasEnded, isActive, let agent else { return }
    let lanes: [FileLane]
    do throws(AgentError) {
      lanes = try await agent.look { (engine, _) throws(AgentError) in try engine.fileLanes() }
    } catch {
      return setAlarm(nil, after: Self.pause)
    }
    for lane in lanes { look(into: lane) }
  }

  /// Starts the steps of a lane for which there is room.
  func look(into lane: FileLane) {
    guard mayRun(lane) else { return }
    if looking[lane] != nil { return looking[lane] = true }
    looking[lane] = false
    Task { await self.fill(lane) }
  }

  private func fill(_ lane: FileLane) async {
    repeat {
      looking[lane] = false
      await begin(lane)
    } while looking[lane] == true
    looking[lane] = nil
    if looking.isEmpty { forgotten = [] }
  }

  private func begin(_ lane: FileLane) async {
    guard mayRun(lane), let agent, schedule.count(lane) < limit(in: lane) else { return leave(lane) }
    guard schedule.mayBegin(lane, limit: limit(in: lane)) else { return wait(lane) }
    let time = ContinuousClock.now
    let delayed = (delayed[lane] ?? [:]).filter { $0.value > time }
    self.delayed[lane] = delayed
    let (before, limit) = (epoch, limit(in: lane) + 1 + delayed.count)
    let found: (work: [FileWork], next: Int64?)
    do throws(AgentError) {
      found = try await agent.look { (engine, now) throws(AgentError) in
        try engine.fileWork(in: lane, limit: limit, now: now)
      }
    } catch {
      setAlarm(lane, after: Self.pause)
      return leave(lane)
    }
    guard before == epoch else {
      if mayRun(lane) { looking[lane] = true }
      return
    }
    if found.work.isEmpty { reducedLimits[lane] = nil }
    let afterFound = found.next.map { $0 &- agent.clock.milliseconds }
    let afterDelay = delayed.values.min().map { Int64(($0 - time) / .milliseconds(1)) + 1 }
    if let pause = [afterFound, afterDelay].compactMap(\.self).min() {
      setAlarm(lane, after: min(max(1, pause), Self.longestPause))
    }
    for work in found.work
    where running[work.key] == nil && delayed[work.key] == nil && !forgotten.contains(work.key.ofFile) {
      guard schedule.count(lane) < self.limit(in: lane) else { break }
      guard schedule.mayBegin(lane, limit: self.limit(in: lane)) else { return wait(lane) }
      start(work, in: lane, agent)
    }
    leave(lane)
  }

  /// The number of steps that may run at once in a lane.
  private func limit(in lane: FileLane) -> Int {
    lane.direction == nil ? lane.localLimit : min(network.limit(in: lane), reducedLimits[lane] ?? .max)
  }

  /// Has a lane wait for its turn.
  private func wait(_ lane: FileLane) {
    schedule.wait(lane)
    lookIntoNext(like: lane)
  }

  /// Lets others have the turn of a lane.
  private func leave(_ lane: FileLane) {
    schedule.leave(lane)
    lookIntoNext(like: lane)
  }

  /// Looks into the lane whose turn it is, of those that go in the same direction.
  private func lookIntoNext(like lane: FileLane) {
    if let direction = lane.direction, let next = schedule.next(direction) { look(into: next) }
  }

  private func start(_ work: FileWork, in lane: FileLane, _ agent: Agent) {
    let worker = FileWorker(agent: agent, folders: folders, connections: connections, network: network)
    let key = work.key
    let earlier: [Task<Void, Never>]
    if case .remove(let file) = work {
      earlier = steps(of: file.number, file.isSent ? .sent : .received)
      forgotten.insert(file.isSent ? .sent(file.number, chunk: 0) : .received(file.number, chunk: 0))
    } else {
      earlier = []
    }
    let task = Task {
      for step in earlier { await step.value }
      do throws(AgentError) {
        let next = try await worker.perform(work)
        await self.finished(key, in: lane, next)
      } catch {
        self.failed(key, lane)
      }
    }
    running[key] = Running(lane: lane, task: task)
    schedule.began(lane)
  }

  private func finished(_ key: FileWork.Key, in lane: FileLane, _ next: FileWorker.Next) async {
    running[key] = nil
    schedule.ended(lane)
    switch next {
    case .later:
      // Where many would fail, the disk is full for all of them.
      if delayed[lane, default: [:]].count < Self.delayedLimit {
        delayed[lane, default: [:]][key] = .now + .milliseconds(Self.longPause)
        look(into: lane)
      } else {
        setAlarm(lane, after: Self.longPause)
      }
    case .slower:
      reducedLimits[lane] = max(1, min(network.limit(in: lane), reducedLimits[lane] ?? .max) / 2)
      look(into: lane)
    case .lane, .also, .all: look(into: lane)
    }
    lookIntoNext(like: lane)
    switch next {
    case .lane, .later: break
    case .also(let other): look(into: other)
    case .all, .slower: await lookEverywhere()
    }
  }

  /// A step could not be recorded.
  private func failed(_ key: FileWork.Key, _ lane: FileLane) {
    running[key] = nil
    schedule.ended(lane)
    setAlarm(lane, after: Self.pause)
    lookIntoNext(like: lane)
  }

  /// Looks into a lane later; everywhere for nil.
  private func setAlarm(_ lane: FileLane?, after pause: Int64) {
    guard !hasEnded, isActive else { return }
    alarms[lane]?.cancel()
    alarms[lane] = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(pause))
      if Task.isCancelled { return }
      if let lane { await self?.look(into: lane) } else { await self?.lookEverywhere() }
    }
  }
}

extension FileWork.Key {
  /// The key of the file itself.
  fileprivate var ofFile: FileWork.Key {
    switch self {
    case .sent(let file, _): .sent(file, chunk: 0)
    case .received(let file, _): .received(file, chunk: 0)
    case .deletion, .removal: self
    }
  }

  fileprivate func isOf(_ file: Int64, _ kind: TransferFolders.Kind) -> Bool {
    switch self {
    case .sent(let number, _): kind == .sent && number == file
    case .received(let number, _): kind == .received && number == file
    case .deletion, .removal: false
    }
  }
}
