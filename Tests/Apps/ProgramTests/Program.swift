import Foundation

/// A program of this package, run as somebody else would run it. Used by one test at a time.
final class Program {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  private let process = Process()
  private let output = Pipe()
  private let typing = Pipe()
  private let errors: URL
  private var text = ""

  /// Where the built programs are: beside the tests.
  static let folder: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
  }()

  /// Starts a program; its errors go to a file of the folder.
  ///
  /// - Parameters:
  ///   - asAnotherUser: Whether root runs it as an unprivileged user, to whom the permissions of files apply.
  ///   - input: What it reads; nil for nothing.
  ///   - atFolder: Whether the folder is its current one.
  ///   - isTyped: Whether it reads what ``type(_:)`` gives it.
  init(
    _ name: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
    asAnotherUser: Bool = false, input: String? = nil, atFolder: Bool = false, isTyped: Bool = false
  ) throws {
    errors = folder.appending(path: "\(name)-\(UUID().uuidString).log")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.executableURL = Self.folder.appending(path: name)
    process.arguments = arguments
    if asAnotherUser, getuid() == 0 {
      process.executableURL = URL(filePath: "/usr/bin/setpriv")
      process.arguments =
        ["--reuid", "65534", "--regid", "65534", "--clear-groups", Self.folder.appending(path: name).path] + arguments
    }
    process.environment = ["HOME": folder.path, "TERM": "dumb", "LANG": "C.UTF-8"].merging(environment) { $1 }
    if atFolder { process.currentDirectoryURL = folder }
    process.standardInput = FileHandle.nullDevice
    if let input {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
      process.standardInput = pipe
    } else if isTyped {
      process.standardInput = typing
    }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
  }

  /// Starts another program; its errors go to a file of the folder.
  ///
  /// - Parameter isTyped: Whether it reads what ``type(_:)`` gives it.
  init(
    executable: URL, _ arguments: [String], in folder: URL, environment: [String: String], isTyped: Bool = false
  ) throws {
    errors = folder.appending(path: "\(executable.lastPathComponent)-\(UUID().uuidString).log")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    if isTyped { process.standardInput = typing } else { process.standardInput = FileHandle.nullDevice }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Whether a program can be run by a user to whom the permissions of files apply.
  static var canBeAnotherUser: Bool { getuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0 }

  /// Runs a program until it ends; returns its status and what it wrote.
  static func run(
    _ name: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
    asAnotherUser: Bool = false, input: String? = nil, atFolder: Bool = false
  ) throws -> (status: Int32, output: String, errors: String) {
    let program = try Program(
      name, arguments, in: folder, environment: environment, asAnotherUser: asAnotherUser, input: input,
      atFolder: atFolder)
    let written = String(decoding: program.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.process.waitUntilExit()
    return (program.process.terminationStatus, written, program.errorText)
  }

  /// The rest of the next line that begins so, after the time if it has one; lines before it are skipped.
  /// - Throws: `Failed` where the program ends or writes nothing for two minutes.
  func line(_ beginning: String) throws -> String {
    while true {
      while let end = text.firstIndex(of: "\n") {
        let line = text[..<end].replacing(#/^(\d{4}-\d\d-\d\dT\S+Z|\d\d:\d\d) /#, with: "")
        text = String(text[text.index(after: end)...])
        if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
      }
      var descriptor = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 120_000) != 0 else {
        throw Failed(description: "no line that begins with '\(beginning)': \(text) \(errorText)")
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty {
        throw Failed(description: "\(process.executableURL?.lastPathComponent ?? "") ended: \(text) \(errorText)")
      }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  /// Types a line.
  func type(_ line: String) throws { try typing.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// Terminates it; returns its exit status.
  @discardableResult
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Interrupts it, as Ctrl-C does; returns its exit status.
  func interrupt() -> Int32 {
    kill(process.processIdentifier, SIGINT)
    return waitForEnd()
  }

  /// Waits until it has ended; returns its exit status.
  func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends it at once, as the system does when it needs the memory.
  func endAtOnce() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
}
