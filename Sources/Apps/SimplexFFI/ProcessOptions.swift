import SimplexJSON
import Synchronization

/// The options that the process chose when it initialised the library; controllers keep those of the time they were
/// opened.
enum ProcessOptions {
  private static let chosen = Mutex(standardSums)

  /// How sums are encoded in JSON.
  static var sums: JSONSums { chosen.withLock { $0 } }

  /// The encoding of this platform, as the reference's libraries have it: apps of iOS and its relatives read `_owsf`;
  /// desktop apps and SDKs, on macOS too, read tags.
  static var standardSums: JSONSums {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      .singleField
    #else
      .tagged
    #endif
  }

  /// Reads the options among the arguments: `--owsf` and `--tagged`, which override the encoding of the platform. All
  /// others (`+RTS` …) are for the reference's run-time system, and are ignored.
  static func read(_ arguments: [String]) {
    for argument in arguments {
      switch argument {
      case "--owsf": chosen.withLock { $0 = .singleField }
      case "--tagged": chosen.withLock { $0 = .tagged }
      default: break
      }
    }
  }
}

/// No-op. Callers declare the first argument differently, so neither is read.
@_cdecl("hs_init")
public func hsInit(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) {}

/// Initialises with options after the program's name; see `simplex.h` for those of this library.
@_cdecl("hs_init_with_rtsopts")
public func hsInitWithOptions(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) {
  guard let count = count?.pointee, count > 1, let list = arguments?.pointee else { return }
  var texts: [String] = []
  for index in 1..<Int(count) {
    guard let argument = list[index] else { break }
    texts.append(String(cString: argument))
  }
  ProcessOptions.read(texts)
}
