import ChatAPI
import FileAccess

/// Sizes and limits of files in chats.
public enum FileRules {
  /// The largest file that is sent in a chat, in bytes.
  public static let sizeLimit: Int64 = 1 << 30
  /// The largest file that is sent outside of chats, and received at all, in bytes.
  public static let standaloneSizeLimit: Int64 = 5 << 30
  /// How much larger than announced the encrypted form of a file may be, in bytes.
  public static let receivedMargin: Int64 = 10 << 20
  /// The size of parts of a file in messages, in bytes.
  public static let chunkSize: Int64 = 15_780
  /// The largest file that is received in messages, and the largest if the user asks for it; in bytes.
  public static let inlineSizeLimit = 8 * chunkSize, largeInlineSizeLimit = 15 * chunkSize
  /// The characters of a description in one message.
  public static let descriptionPartSize = 14_000
  /// The most parts, and the most bytes, of a received description.
  public static let descriptionPartsLimit = 1_024, descriptionSizeLimit = 1 << 20
  /// The most parts of descriptions that are kept before their turn, of each author in a chat.
  public static let earlyPartsLimit: Int64 = 256

  /// The description of an announced file: it follows in parts.
  public static let announced = FileDescr(fileDescrText: "", fileDescrPartNo: 0, fileDescrComplete: false)

  /// A description in parts of at most this many characters, each for one message.
  public static func parts(of description: String, size: Int = descriptionPartSize) -> [FileDescr] {
    var parts: [FileDescr] = []
    var rest = Substring(description)
    repeat {
      let part = rest.prefix(size)
      rest = rest.dropFirst(part.count)
      parts.append(
        FileDescr(
          fileDescrText: String(part), fileDescrPartNo: parts.count + 1, fileDescrComplete: rest.isEmpty))
    } while !rest.isEmpty
    return parts
  }

  /// A description with a further part.
  /// - Throws: `rcvFileInvalidDescrPart` where it is not the next one, or the description becomes too long.
  public static func appending(_ part: FileDescr, to known: RcvFileDescr) throws(StoreError) -> RcvFileDescr {
    var description = known
    description.fileDescrText += part.fileDescrText
    description.fileDescrPartNo = part.fileDescrPartNo
    description.fileDescrComplete = part.fileDescrComplete
    guard !known.fileDescrComplete, part.fileDescrPartNo == known.fileDescrPartNo + 1, isWithinLimits(description)
    else { throw .rcvFileInvalidDescrPart }
    return description
  }

  /// Throws where a description in an announcement is not the beginning of one.
  public static func check(first part: FileDescr) throws(StoreError) {
    guard part.fileDescrPartNo == 0, part.fileDescrText.utf8.count <= descriptionSizeLimit else {
      throw .rcvFileInvalidDescrPart
    }
  }

  private static func isWithinLimits(_ description: RcvFileDescr) -> Bool {
    description.fileDescrPartNo <= descriptionPartsLimit
      && description.fileDescrText.utf8.count <= descriptionSizeLimit
  }

  // MARK: Names

  /// The name of a sent file: the last part of its path.
  public static func name(ofPath path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last.map { String(Substring($0)) }
      ?? ""
  }

  /// The name of a received file without folders and control characters, shortened to 200 bytes; `_` where nothing is
  /// left.
  public static func receivedName(_ name: String) -> String {
    ReceivedFileName.safe(ReceivedFileName.parts(ofPath: name).last ?? "") ?? "_"
  }

  /// A name in two parts: its extension, with the dot, and what stands before it. Long extensions are none.
  public static func stemAndExtension(of name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 10 else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  /// A name with a number, which stands before all extensions, as in `archive_1.tar.gz`; 0 for the name itself.
  public static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 0 else { return name }
    let dot = name.firstIndex(of: ".") ?? name.endIndex
    return "\(name[..<dot])_\(number)\(name[dot...])"
  }

  /// The count of numbers that are tried in order before random ones.
  public static let orderedNumbers = 8

  /// A random number for a name whose first numbers are taken; from a range that grows with each attempt, so that a
  /// free one is found soon however many are taken.
  public static func randomNumber(
    afterAttempt attempt: Int, using random: inout some RandomNumberGenerator
  ) -> Int {
    let digits = min(15, 4 + max(0, attempt - orderedNumbers))
    return Int.random(in: 1_000..<(0..<digits).reduce(1) { value, _ in value * 10 }, using: &random)
  }

  /// What the name of a forwarded picture, video or voice message begins with; nil for other files, which keep theirs.
  public static func copyPrefix(_ content: MsgContent) -> String? {
    switch content {
    case .image: "IMG_"
    case .video: "video_"
    case .voice: "voice_"
    default: nil
    }
  }
}

extension CIFileStatus {
  /// Whether nothing more happens with the transfer by itself.
  public var isEnded: Bool {
    switch self {
    case .sndStored, .sndTransfer, .sndWarning, .rcvInvitation, .rcvAccepted, .rcvTransfer, .rcvWarning: false
    case .sndCancelled, .sndComplete, .sndError, .rcvAborted, .rcvCancelled, .rcvComplete, .rcvError, .invalid: true
    }
  }
}

/// Why a file cannot be forwarded. Of several reasons the smallest is reported.
public enum ForwardProblem: Int, Comparable, Sendable {
  /// It could be received.
  case notAccepted
  /// It is being received.
  case inProgress
  /// It was not received.
  case failed
  /// It is not there any more.
  case missing

  /// The reason that follows from the state of the transfer; nil for none.
  public init?(_ status: CIFileStatus) {
    switch status {
    case .rcvInvitation, .rcvAborted: self = .notAccepted
    case .rcvAccepted, .rcvTransfer: self = .inProgress
    case .rcvCancelled, .rcvError, .rcvWarning, .invalid: self = .failed
    case .sndStored, .sndTransfer, .sndComplete, .sndCancelled, .sndError, .sndWarning, .rcvComplete: return nil
    }
  }

  public static func < (one: ForwardProblem, other: ForwardProblem) -> Bool { one.rawValue < other.rawValue }
}
