import Dispatch
import SimpleXChat
import SimplexJSON
import Synchronization

/// A controller that C has a pointer to.
struct OpenController: Sendable {
  let core: ChatController
  /// How sums are encoded in its results.
  let sums: JSONSums
}

/// The controllers of the process. A handle is a number, not an address, so an invalid one is detected instead of
/// dereferenced. Controllers stay until the process ends: the C interface has no function to release them.
enum ControllerTable {
  private struct State {
    var controllers: [UInt: OpenController] = [:]
    var last: UInt = 0x5100_0000
  }

  private static let state = Mutex(State())

  /// Keeps the controller and makes a pointer for it.
  static func add(_ controller: OpenController) -> UnsafeMutableRawPointer? {
    let number = state.withLock { state in
      // Aligned as real pointers are, since some callers keep tags in the low bits.
      state.last += 16
      state.controllers[state.last] = controller
      return state.last
    }
    return UnsafeMutableRawPointer(bitPattern: number)
  }

  /// The controller of a pointer; nil for a pointer that is none.
  static func find(_ pointer: UnsafeMutableRawPointer?) -> OpenController? {
    guard let pointer else { return nil }
    return state.withLock { $0.controllers[UInt(bitPattern: pointer)] }
  }

  /// The controller of a pointer.
  static func required(_ pointer: UnsafeMutableRawPointer?) throws(InterfaceError) -> OpenController {
    guard let controller = find(pointer) else {
      throw InterfaceError(pointer == nil ? "controller is null" : "controller does not exist")
    }
    return controller
  }
}

/// Runs an operation to its end while the calling thread, which belongs to C, waits.
func waiting<Value: Sendable>(for operation: @escaping @Sendable () async -> Value) -> Value {
  let result = SharedResult<Value>()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    let value = await operation()
    result.value.withLock { $0 = value }
    done.signal()
  }
  while true {
    done.wait()
    if let value = result.value.withLock({ $0 }) { return value }
  }
}

private final class SharedResult<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
