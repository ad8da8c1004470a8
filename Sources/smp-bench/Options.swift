import SMPProtocol

/// What the command line asks for.
struct Options {
  var server: ServerAddress<SMPScheme>
  /// The relay through which messages are sent; nil to send directly.
  var proxy: ServerAddress<SMPScheme>?
  /// Pairs of a sending and a receiving connection.
  var pairs = 8
  /// Queues that each receiving connection makes, for the rates of NEW and SUB.
  var queues = 200
  /// Messages that each pair sends, on the average.
  var messages = 1_000
  /// The size of a message in bytes.
  var size = 16_000
  /// Messages of a pair that are on the way or not acknowledged; relays hold 128 for each queue.
  var pipeline = 8
  /// Messages that all pairs together begin to send each second, whether or not those before arrived; 0 for as many as
  /// `pipeline` lets through.
  var rate = 0
  /// What messages are authorized with: a signature, as agents do it, or an authenticator, which is cheaper for both.
  var senderKey = SenderKey.ed25519
  /// The process of the relay, where it is on this machine and its memory and processor time are to be told too; 0
  /// for none.
  var serverProcess = 0
  /// Whether the figures are printed as JSON.
  var json = false

  static let usage = """
    usage: smp-bench --server smp://FINGERPRINT[:PASSWORD]@HOST[:PORT] [--pairs N] [--queues N] [--messages N]
                     [--size BYTES] [--pipeline N | --rate N] [--sender-key ed25519|x25519]
                     [--proxy smp://FINGERPRINT[:PASSWORD]@HOST[:PORT]] [--server-pid PID] [--json]
    """

  /// Reads the arguments after the program's name; the error is a text for the user.
  static func parse(_ arguments: [String]) throws(UsageError) -> Options {
    var values: [String: String] = [:]
    var json = false
    var rest = arguments.makeIterator()
    while let name = rest.next() {
      if name == "--json" {
        json = true
      } else if numbers[name] != nil || ["--server", "--proxy", "--sender-key"].contains(name) {
        guard let value = rest.next() else { throw UsageError(reason: "\(name) needs a value") }
        values[name] = value
      } else {
        throw UsageError(reason: "unknown argument \(name)")
      }
    }
    guard let text = values["--server"], let server = try? ServerAddress<SMPScheme>.textCodec.decode(text: text) else {
      throw UsageError(reason: "--server needs an address such as smp://FINGERPRINT@HOST:PORT")
    }
    var options = Options(server: server)
    options.json = json
    if let text = values["--proxy"] {
      guard let proxy = try? ServerAddress<SMPScheme>.textCodec.decode(text: text) else {
        throw UsageError(reason: "--proxy needs an address such as smp://FINGERPRINT@HOST:PORT")
      }
      options.proxy = proxy
    }
    if let text = values["--sender-key"] {
      guard let key = SenderKey(rawValue: text) else { throw UsageError(reason: "--sender-key is ed25519 or x25519") }
      options.senderKey = key
    }
    for (name, (path, range)) in numbers {
      guard let value = values[name] else { continue }
      guard let number = Int(value), range.contains(number) else {
        throw UsageError(reason: "\(name) has to be a number from \(range.lowerBound) to \(range.upperBound)")
      }
      options[keyPath: path] = number
    }
    return options
  }

  private static var numbers: [String: (path: WritableKeyPath<Options, Int>, range: ClosedRange<Int>)] {
    [
      "--pairs": (\.pairs, 1...10_000), "--queues": (\.queues, 0...1_000_000),
      "--messages": (\.messages, 0...10_000_000),
      "--size": (\.size, 1...16_048), "--pipeline": (\.pipeline, 1...127),
      "--rate": (\.rate, 0...1_000_000), "--server-pid": (\.serverProcess, 1...Int(Int32.max)),
    ]
  }

  init(server: ServerAddress<SMPScheme>) { self.server = server }
}

/// Algorithms of the keys of senders.
enum SenderKey: String {
  case ed25519, x25519
}

struct UsageError: Error {
  let reason: String
}
