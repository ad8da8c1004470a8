import RemoteControlProtocol
import SimplexJSON
import SimplexTesting
import Testing

private let digest = FileDigest([UInt8](repeating: 0, count: 64))
private let digestText = String(repeating: "A", count: 86) + "=="

@Suite("Commands and responses are the JSON of the reference implementation")
struct CommandTests {
  @Test func commands() throws {
    let digest = try #require(digest)
    let cases: [(RemoteCommand, String)] = [
      (.send(command: "/u", retryNumber: 0), #"{"type":"send","command":"/u","retryNumber":0}"#),
      (.recv(microseconds: 10_000_000), #"{"type":"recv","wait":10000000}"#),
      (
        .storeFile(name: "a.jpg", size: 5, digest: digest),
        #"{"type":"storeFile","fileName":"a.jpg","fileSize":5,"fileDigest":"\#(digestText)"}"#
      ),
      (
        .getFile(RemoteFileReference(userID: 1, fileID: 2, isSent: true, path: "p")),
        #"{"type":"getFile","file":{"userId":1,"fileId":2,"sent":true,"fileSource":{"filePath":"p"}}}"#
      ),
      (
        .getFile(
          RemoteFileReference(
            userID: 1, fileID: 2, isSent: false, path: "p", encryption: .init(fileKey: "k", fileNonce: "n"))),
        #"{"type":"getFile","file":{"userId":1,"fileId":2,"sent":false,"fileSource":{"filePath":"p","cryptoArgs":{"fileKey":"k","fileNonce":"n"}}}}"#
      ),
    ]
    for (command, json) in cases {
      #expect(command.jsonText() == json)
      #expect(command.jsonText(sums: .singleField) == json)
      #expect(try RemoteCommand(jsonText: json) == command)
    }
  }

  @Test func responses() throws {
    let digest = try #require(digest)
    let cases: [(RemoteResponse, String)] = [
      (
        .chatResponse(.result(json: #"{"type":"cmdOk"}"#)),
        #"{"type":"chatResponse","chatResponse":{"result":{"type":"cmdOk"}}}"#
      ),
      (
        .chatResponse(.error(json: #"{"_owsf":true,"error":{}}"#)),
        #"{"type":"chatResponse","chatResponse":{"error":{"_owsf":true,"error":{}}}}"#
      ),
      (.chatEvent(.result(json: "{}")), #"{"type":"chatEvent","chatEvent":{"result":{}}}"#),
      (.chatEvent(nil), #"{"type":"chatEvent"}"#),
      (.fileStored(path: "a_1.jpg"), #"{"type":"fileStored","filePath":"a_1.jpg"}"#),
      (.file(size: 7, digest: digest), #"{"type":"file","fileSize":7,"fileDigest":"\#(digestText)"}"#),
      (
        .protocolError(.manySkippedIDs(300)),
        #"{"type":"protocolError","remoteProcotolError":{"type":"manySkippedIds","data":300}}"#
      ),
    ]
    for (response, json) in cases {
      #expect(response.jsonText() == json)
      #expect(try RemoteResponse(jsonText: json) == response)
    }
    #expect(
      RemoteResponse.protocolError(.sessionCode).jsonText(sums: .singleField)
        == #"{"type":"protocolError","remoteProcotolError":{"_owsf":true,"pRESessionCode":{}}}"#)
  }

  @Test func errorsSurviveBothSpellings() throws {
    let control: [RemoteControlError] = [
      .internal("a"), .identity, .noLocalAddress, .newController, .notDiscovered, .tlsStartFailed, .exception("b"),
      .controllerAuthorization, .controllerNotFound, .controllerError("c"), .invitation, .version, .encrypt, .decrypt,
      .blockSize, .syntax("d"),
    ]
    let errors: [FrameError] =
      [
        .invalidSize, .invalidJSON("a"), .invalidBody("b"), .sessionCode, .incompatibleEncoding, .unexpectedFile,
        .noFile, .fileSize, .fileDigest, .manySkippedIDs(257), .earlierID(1), .duplicateID, .unexpectedResponse("c"),
        .storedFileExists, .http2("d"), .exception("e"),
      ] + control.map { .remoteControl($0) }
    for error in errors {
      for sums in [JSONSums.tagged, .singleField] {
        #expect(try FrameError(jsonText: error.jsonText(sums: sums)) == error)
      }
    }
    #expect(
      FrameError.remoteControl(.tlsStartFailed).jsonText()
        == #"{"type":"pRERemoteControl","rcError":{"type":"tLSStartFailed"}}"#)
  }

  @Test(
    arguments: [
      "", "{}", "[]", #"{"type":"send"}"#, #"{"type":"quit"}"#, #"{"type":"storeFile","fileName":"a","fileSize":-1}"#,
      #"{"type":"storeFile","fileName":"a","fileSize":4294967296,"fileDigest":"\#(digestText)"}"#,
      #"{"type":"storeFile","fileName":"a","fileSize":1,"fileDigest":"AA=="}"#, #"{"type":"chatResponse"}"#,
      #"{"type":"chatResponse","chatResponse":{}}"#,
    ])
  func malformed(json: String) {
    #expect(throws: FrameError.self) { try RemoteCommand(content: Array(json.utf8)) }
    #expect(throws: FrameError.self) { try RemoteResponse(content: Array(json.utf8)) }
  }

  @Test func longTextsHaveFewValues() throws {
    let picture = "\"" + String(repeating: "A", count: 17 << 20) + "\""
    let response = RemoteResponse.chatEvent(.result(json: picture))
    #expect(try RemoteResponse(content: response.jsonBytes()) == response)
    let dense = "[" + String(repeating: "1,", count: 9 << 20) + "1]"
    let hostile = RemoteResponse.chatEvent(.result(json: dense)).jsonBytes()
    #expect(throws: FrameError.self) { try RemoteResponse(content: hostile) }
  }
}

@Suite("Versions and records of applications")
struct AppInfoTests {
  private func version(_ text: String) throws -> AppVersion { try #require(AppVersion(text: text)) }

  @Test func order() throws {
    let texts = ["6", "6.4", "6.5", "6.5.0", "6.5.0.2", "6.5.0.12", "7.0", "7.0.0.6", "10"]
    let versions = try texts.map { try version($0) }
    #expect(versions.sorted() == versions)
    #expect(versions.map(\.description) == texts)
  }

  @Test(arguments: ["", ".", "1.", ".1", "1..2", "a", "1.b", "-1", "+1", "1 ", "4294967296", "1.2.3.4.5.6.7.8.9"])
  func noVersion(text: String) { #expect(AppVersion(text: text) == nil) }

  @Test func agreement() throws {
    func range(_ lowest: String, _ highest: String) throws -> AppVersions {
      try #require(AppVersions(try version(lowest), try version(highest)))
    }
    let own = try range("6.5.0.12", "7.0.0.6")
    #expect(try own.agreed(with: range("6.5.0.12", "7.0.0.3")) == version("7.0.0.3"))
    #expect(try own.agreed(with: range("6.5.0.12", "7.1")) == version("7.0.0.6"))
    #expect(try own.agreed(with: range("7.0.0.6", "8")) == version("7.0.0.6"))
    #expect(try own.agreed(with: range("7.0.0.7", "8")) == nil)
    #expect(try own.agreed(with: range("6", "6.5.0.11")) == nil)
    for (text, isInside) in [("6.5.0.12", true), ("7.0.0.6", true), ("6.5.0.11", false), ("7.0.0.7", false)] {
      #expect(try own.contains(version(text)) == isInside)
    }
    #expect(try AppVersions(version("7"), version("6")) == nil)
    #expect(try AppVersions(upTo: version("7.0.0.6")) == own)
    #expect(try AppVersions(upTo: version("6.5")) == nil)
  }

  @Test func records() throws {
    let host = HostAppInfo(
      version: try version("7.0.0.6"), deviceName: "phone", encoding: .swift, encryptsFiles: true, compresses: true)
    let json =
      #"{"appVersion":"7.0.0.6","compression":true,"deviceName":"phone","encoding":"swift","encryptFiles":true}"#
    #expect(host.jsonText() == json)
    #expect(try HostAppInfo(jsonText: json) == host)
    let older = try HostAppInfo(
      jsonText: #"{"encoding":"kotlin","deviceName":"p","appVersion":"6.5","encryptFiles":false,"new":1}"#)
    #expect(!older.compresses && older.encoding == .kotlin)
    let controller = try ControllerAppInfo(
      jsonText: #"{"appVersionRange":{"minVersion":"6.4.0","maxVersion":"6.5.0"},"deviceName":"my desktop"}"#)
    #expect(!controller.compresses)
    #expect(try controller.versions.highest == version("6.5.0"))
    for json in ["null", "{}", #"{"appVersionRange":{"minVersion":"7","maxVersion":"6"},"deviceName":"x"}"#] {
      #expect(throws: JSONError.self) { try ControllerAppInfo(jsonText: json) }
    }
  }

  /// The values of a command take no more memory than its text.
  @Test func aCommandOfManyValues() {
    let json = #"{"type":"recv","wait":1,"x":["# + String(repeating: "0,", count: 1_000_000) + "0]}"
    #expect(throws: FrameError.self) { try RemoteCommand(content: Array(json.utf8)) }
    let few = #"{"type":"recv","wait":1,"x":["# + String(repeating: "0,", count: 1_000) + "0]}"
    #expect(throws: Never.self) { try RemoteCommand(content: Array(few.utf8)) }
  }
}
