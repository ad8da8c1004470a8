import SimplexJSON
import Synchronization

/// What the process chose when it initialised the library; controllers keep what was set when they were made.
enum ProcessOptions {
  private static let chosen = Mutex(JSONSums.tagged)

  /// How sums are spelt in JSON.
  static var sums: JSONSums { chosen.withLock { $0 } }

  /// Reads the options among the arguments: `--owsf` and `--tagged`. Others belong to the run-time system of the reference
  /// and mean nothing here.
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

/// Nothing has to be initialised. Callers declare the first argument differently, so neither is looked at.
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
