import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatTerminal

/// What `/fs` says, and the errors of files.
@Suite struct FileStatusTests {
  private let files = FileSamples()
  private let view = ChatView(user: Samples.user(), now: Samples.time(60))

  private func status(_ status: CIFileStatus, path: String? = nil, _ view: ChatView? = nil) -> [String] {
    let item = files.item(.directRcv, "", status, path: path)
    return (view ?? self.view).lines(.response3(.fileTransferStatusXFTP(user: Samples.user(), chatItem: item))).map(
      \.text)
  }

  @Test func throughFileServers() {
    let name = "file 1 (test.jpg)"
    for (value, line) in [
      (.sndStored, "sending \(name) just started"),
      (.sndTransfer(sndProgress: 1, sndTotal: 3), "sending \(name) in progress 33% of 136.5 KiB"),
      (.sndCancelled, "sending \(name) cancelled"), (.sndComplete, "sending \(name) complete"),
      (.sndError(sndFileError: .auth), "sending \(name) error: FileErrAuth"),
      (.sndWarning(sndFileError: .noFile), "sending \(name) warning: FileErrNoFile"),
      (.rcvInvitation, "receiving \(name) not accepted yet, use /fr 1 to receive file"),
      (.rcvAccepted, "receiving \(name) just started"),
      (.rcvTransfer(rcvProgress: 0, rcvTotal: 0), "receiving \(name) progress 0% of 136.5 KiB"),
      (.rcvAborted, "receiving \(name) aborted, use /fr 1 to receive file"),
      (.rcvComplete, "receiving \(name) complete"), (.rcvCancelled, "receiving \(name) cancelled"),
      (.rcvError(rcvFileError: .auth), "receiving \(name) error: FileErrAuth"),
      (.rcvWarning(rcvFileError: .other(fileError: "x")), "receiving \(name) warning: Error: x"),
      (.invalid(text: "x"), "\(name) invalid status: x"),
    ] as [(CIFileStatus, String)] {
      #expect(status(value) == [line])
    }
    #expect(status(.rcvComplete, path: "./tmp/test.jpg") == ["receiving \(name) complete, path: ./tmp/test.jpg"])
    var person = view
    person.showsStatus = true
    #expect(
      status(.rcvError(rcvFileError: .auth), person) == ["receiving \(name) error: The file is deleted or expired"])
    #expect(status(.sndError(sndFileError: .auth), person)[0].contains("it accepts no new files, or the password"))
  }

  @Test func inMessages() {
    func status(_ transfer: FileTransfer, _ parts: [Int64] = []) -> [String] {
      view.lines(.response3(.fileTransferStatus(user: Samples.user(), fileTransfer: transfer, chunks: parts)))
        .map(\.text)
    }
    func sent(_ transfers: [SndFileTransfer], isCancelled: Bool = false) -> FileTransfer {
      var file = files.sent()
      file.fileSize = 100_000
      file.chunkSize = 10_000
      file.cancelled = isCancelled
      return .snd(fileTransferMeta: file, sndFileTransfers: transfers)
    }
    #expect(status(sent([])) == ["sending file 1 (test.jpg): no file transfers"])
    #expect(status(sent([files.inMessages("bob", .complete)])) == ["sending file 1 (test.jpg) complete: bob"])
    #expect(
      status(
        sent([files.inMessages("bob", .connected), files.inMessages("cath", .connected)], isCancelled: true), [3, 4])
        == ["sending file 1 (test.jpg) in progress (35%): bob, cath", "file transfer cancelled"])
    #expect(
      status(sent([files.inMessages("bob", .complete), files.inMessages("cath", .new)])) == [
        "sending file 1 (test.jpg): ", "  not accepted: cath", "  complete: bob",
      ])
    for (value, line) in [
      (.new, "not accepted yet, use /fr 1 to receive file"), (.accepted(filePath: "x"), "just started"),
      (.connected(filePath: "x"), "progress 50% of 136.5 KiB"), (.complete(filePath: "x"), "complete, path: x"),
      (.cancelled(filePath_: nil), "cancelled"), (.cancelled(filePath_: "x"), "cancelled, received part path: x"),
    ] as [(RcvFileStatus, String)] {
      #expect(
        status(.rcv(rcvFileTransfer: files.received(1, from: "bob", value)), [7]) == [
          "receiving file 1 (test.jpg) \(line)"
        ])
    }
  }

  /// Numbers of others make no sense at worst.
  @Test(
    arguments: [
      (0, 0, 0), (1, -1, 0), (-1, 2, 0), (1, 3, 33), (29, 100, 29), (3, 3, 100), (7, 3, 100), (Int64.max, 1, 100),
      (Int64.max - 1, Int64.max, 100), (Int64.max / 2, Int64.max, 50),
    ] as [(Int64, Int64, Int64)])
  func percent(_ done: Int64, _ total: Int64, _ percent: Int64) {
    #expect(abs(FileProgress.percent(done, of: total) - percent) <= (total > 1 << 60 ? 1 : 0))
    #expect(FileProgress.bytes([.max, 2], of: 3) == .max)
  }

  @Test func errors() {
    func failed(_ error: ChatErrorType) -> [String] {
      view.lines(.error(errorType: error), isOfCommand: true).map(\.text)
    }
    for (error, line) in [
      (.fileNotFound(message: "x"), "file not found: x"), (.fileSize(filePath: "x"), "file size exceeds the limit: x"),
      (.fileAlreadyReceiving(message: "x"), "file is already being received: x"),
      (.fileCancelled(message: "x"), "file cancelled: x"),
      (.fileCancel(fileId: 1, message: "x"), "error cancelling file 1: x"),
      (.fileAlreadyExists(filePath: "x"), "file already exists: x"),
      (.fileWrite(filePath: "x", message: "y"), "cannot write file x: y"),
      (.fileRcvChunk(message: "x"), "error receiving file: x"), (.fileInternal(message: "x"), "file error: x"),
      (.fileSend(fileId: 1, agentError: .FILE(fileErr: .NO_FILE)), "error sending file 1: FILE {fileErr = NO_FILE}"),
      (
        .fileImageType(filePath: "x"), "image type must be jpg, png or gif, send as a file using /f"
      ),
      (.fileImageSize(filePath: "x"), "max image size: 522240 bytes, resize it or send as a file using /f"),
      (.fileNotReceived(fileId: 1), "file 1 not received"),
      (
        .fallbackToSMPProhibited(fileId: 1), "recipient tried to accept file 1 via old protocol, prohibited"
      ),
      (.inlineFileProhibited(fileId: 1), "file 1 was sent without being accepted, and was refused"),
      (.invalidFileDescription(message: "x"), "invalid file description: x"),
    ] as [(ChatErrorType, String)] {
      #expect(failed(error) == [line])
    }
    #expect(failed(.noRcvFileUser(agentRcvFileId: "x")).isEmpty && failed(.noSndFileUser(agentSndFileId: "x")).isEmpty)
    #expect(
      failed(.fileNotApproved(fileId: 1, unknownServers: ["xftp://x@host"])) == [
        "file 1 is on servers that are not yours, which would see your IP address:", "xftp://x@host",
        "use /fr 1 approved_relays=on to receive it",
      ])
    // The command of the advice is one.
    #expect(throws: Never.self) { try ChatCommand(parsing: "/fr 1 approved_relays=on") }
  }

  @Test func errorsOfServers() {
    let server = "xftp://x@files.example"
    func told(_ error: AgentErrorType, isOfCommand: Bool) -> [String] {
      view.lines(.errorAgent(agentError: error, agentConnId: "", connectionEntity_: nil), isOfCommand: isOfCommand)
        .map(\.text)
    }
    let quota = AgentErrorType.XFTP(serverAddress: server, xftpErr: .QUOTA)
    #expect(
      told(quota, isOfCommand: true) == [
        #"smp agent error: XFTP {serverAddress = "xftp://x@files.example", xftpErr = QUOTA}"#
      ])
    #expect(told(quota, isOfCommand: false).isEmpty)
    var person = view
    person.showsStatus = true
    let missing = ChatError.errorAgent(agentError: .FILE(fileErr: .NO_FILE))
    #expect(person.lines(missing, isOfCommand: true).map(\.text) == ["file error: The file does not exist"])
    let full = person.lines(.errorAgent(agentError: quota), isOfCommand: true)
    #expect(full.first?.text.hasSuffix(": The server is full") == true)
    let failure = ProtocolTestFailure(testStep: .createFile, testError: .XFTP(serverAddress: server, xftpErr: .AUTH))
    let lines = view.lines(
      .response0(.serverTestResult(user: Samples.user(), testServer: server, testFailure: failure))
    ).map(\.text)
    #expect(lines.last?.hasSuffix("server requires authorization to upload files, check password") == true)
  }

  /// A group's prohibition is a reason, not a wrong command.
  @Test func refusedCommands() {
    for line in ["/f #team x.jpg", "/img @bob x.jpg", "/fr 1", "/ff #team 1", "/fs 7"] {
      #expect(
        CommandHelp.lines(line, refusedBecause: "feature not allowed Files and media").map(\.text) == [
          "bad chat command: feature not allowed Files and media"
        ])
    }
    #expect(
      CommandHelp.lines("/mr team alice admin", refusedBecause: "can't change role for self").map(\.text) == [
        "bad chat command: can't change role for self"
      ])
    let lines = CommandHelp.lines("/network socks=abc", refusedBecause: "invalid SOCKS proxy: abc").map(\.text)
    #expect(lines.first == "Usage:")
  }
}
