import ChatAPI
import ChatStore
import FileAccess
import RemoteControl
import RemoteControlCore
import RemoteControlProtocol
import SQLiteKit
import Synchronization

/// Executes the requests of a desktop that controls this device.
///
/// What a desktop may not do is checked here, whatever it passes on: commands by their declarations
/// (``ChatCommand/remoteUse``), and the paths in them, which have to lie in the folders of files and of temporary
/// files, symbolic links resolved. A desktop cannot read or write any other file of this device.
struct DesktopRequests: RemoteRequestHandler {
  /// The controller, while there is one.
  let core: @Sendable () -> ChatController?
  /// The events for the desktop.
  let events: DesktopEventQueue
  /// The files that the desktop stored in this session.
  let uploads: DesktopUploads

  func reply(to command: RemoteCommand, file: String?) async -> RemoteReply {
    do throws(RemoteReplyError) {
      guard let core = core() else { throw .chat(.error(errorType: .chatNotStarted)) }
      // As in the reference, requests for events included.
      let user = try await chat { () async throws(ChatError) in try await core.currentUser() }
      switch command {
      case .send(let text, _):
        guard let result = RemoteResult(await core.sendRemotely(text, uploads: uploads)) else {
          throw .frame(.unexpectedResponse(""))
        }
        return RemoteReply(.chatResponse(result))
      case .recv(let microseconds):
        let event = await events.next(within: .microseconds(Int64(microseconds)))
        core.eventQueue.wakeWriters()
        return RemoteReply(.chatEvent(event))
      case .storeFile(let name, _, _):
        guard let file else { throw .frame(.noFile) }
        let path = try await chat { () async throws(ChatError) in try await core.storeUpload(file, named: name) }
        uploads.add(path)
        return RemoteReply(.fileStored(path: path))
      case .getFile(let reference):
        return try await chat { () async throws(ChatError) in try await core.download(reference, of: user) }
      }
    } catch {
      switch error {
      case .chat(let error): return RemoteReply(.chatResponse(.error(json: error.jsonText())))
      case .frame(let error): return RemoteReply(.protocolError(error))
      }
    }
  }

  private func chat<Value: Sendable>(
    _ body: () async throws(ChatError) -> Value
  ) async throws(RemoteReplyError) -> Value {
    do throws(ChatError) { return try await body() } catch { throw .chat(error) }
  }
}

/// Why a request has another answer than expected.
private enum RemoteReplyError: Error {
  /// An error of the API.
  case chat(ChatError)
  /// An error of the request.
  case frame(FrameError)
}

/// The files that a desktop stored in a session, by their paths as they were answered.
final class DesktopUploads: Sendable {
  // Mutex: requests are concurrent.
  private let paths = Mutex<Set<String>>([])

  /// Whether the desktop stored the file.
  func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

  /// Adds a file that was stored.
  func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
}

extension ChatController {
  /// Carries out a command of a desktop, if desktops may give it.
  func sendRemotely(_ text: String, uploads: DesktopUploads) async -> APIResult<ChatResponse> {
    do throws(ChatError) {
      let command = try ChatCommand(parsing: text)
      guard command.remoteUse == .passedOn else {
        throw .command("not permitted from a desktop: \(command.cmdType)")
      }
      for path in command.localPaths where !uploads.contains(path) { try requireOpenToDesktops(path) }
      // Receiving takes relative paths from the current folder, not from that of files.
      if case .receiveFile(_, _, _, _, let path?) = command { try requireOpenToDesktops(DatabaseFile.absolute(path)) }
      return await sendText(text)
    } catch {
      return .error(error)
    }
  }

  /// Checks that a path, symbolic links resolved, lies in the folder of files or that of temporary files.
  private func requireOpenToDesktops(_ path: String) throws(ChatError) {
    let place = RealPath(folders.path(path))
    let isOpen = [folders.files, folders.temporary].contains { folder in
      folder.map { RealPath($0).contains(place) } ?? false
    }
    guard isOpen else { throw .command("not a file that desktops may use: \(path)") }
  }
}
