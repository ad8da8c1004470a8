import SMPProtocol

/// The options of the command line.
struct Options {
  var server: ServerWithAuth<SMPScheme>
  /// The relay through which messages are sent; nil to send directly.
  var proxy: ServerWithAuth<SMPScheme>?
  /// Pairs of a sending and a receiving connection.
  var pairs = 8
  /// Queues that each receiving connection makes, for the rates of NEW and SUB.
  var queues = 200
  /// Messages sent by each pair, on average.
  var messages = 1_000
  /// The size of a message in bytes.
  var size = 16_000
  /// Messages of a pair in flight or not acknowledged; relays hold 128 for each queue.
  var pipeline = 8
  /// Messages that all pairs together start to send each second, regardless of earlier ones; 0 for as many as
  /// `pipeline` admits.
  var rate = 0
  /// Seconds that connections are idle before memory is reported.
  var idle = 0
  /// Refused commands of each kind whose times are compared; 0 for none.
  var timing = 0
  /// The authorization of messages: a signature, as agents use it, or an authenticator, which is cheaper for both
  /// sides.
  var senderKey = SenderKey.ed25519
  /// The process of the relay, if it is on this machine and its memory and processor time are to be reported; 0 for
  /// none.
  var serverProcess = 0
  /// Whether the figures are printed as JSON.
  var json = false

  static let usage = """
    usage: smp-bench --server smp://FINGERPRINT[:PASSWORD]@HOST[:PORT] [--pairs N] [--queues N] [--messages N]
                     [--size BYTES] [--pipeline N | --rate N] [--sender-key ed25519|x25519]
                     [--timing N] [--idle SECONDS] [--proxy smp://FINGERPRINT[:PASSWORD]@HOST[:PORT]] [--server-pid PID] [--json]
    """

  static let help =
    usage + """


      Loads a relay with connections, queues and messages, and prints how many of each it handles in a second.

        --server ADDRESS     the relay
        --proxy ADDRESS      send through this relay
        --pairs N            pairs of a sending and a receiving connection (8)
        --queues N           queues that each receiving connection creates, to measure NEW and SUB (200)
        --messages N         messages that each pair sends on average (1000)
        --size BYTES         size of a message (16000)
        --pipeline N         messages of a pair that are in flight or not acknowledged (8)
        --rate N             messages a second that all pairs send together; 0 for as many as --pipeline allows
        --sender-key KIND    sign with ed25519, as agents do, or authenticate with x25519
        --timing N           compare the times of N refused commands each about queues that are in use, that are not, and
                             that do not exist
        --idle SECONDS       leave the connections idle for so long before the relay's memory is read (0)
        --server-pid PID     also print memory and processor time of the relay's process on this machine
        --json               print the figures as JSON
        --version            print the version
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
    let server = try server("--server", values["--server"])
    var options = Options(server: server)
    options.json = json
    if let text = values["--proxy"] { options.proxy = try self.server("--proxy", text) }
    if let text = values["--sender-key"] {
      guard let key = SenderKey(rawValue: text) else {
        throw UsageError(reason: "--sender-key must be ed25519 or x25519")
      }
      options.senderKey = key
    }
    for (name, (path, range)) in numbers {
      guard let value = values[name] else { continue }
      guard let number = Int(value), range.contains(number) else {
        throw UsageError(reason: "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
      }
      options[keyPath: path] = number
    }
    return options
  }

  private static func server(_ name: String, _ text: String?) throws(UsageError) -> ServerWithAuth<SMPScheme> {
    guard let text, let server = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: text),
      server.server.keyHash.count == 32
    else { throw UsageError(reason: "\(name) needs an address such as smp://FINGERPRINT@HOST:PORT") }
    return server
  }

  private static var numbers: [String: (path: WritableKeyPath<Options, Int>, range: ClosedRange<Int>)] {
    [
      "--pairs": (\.pairs, 1...10_000), "--queues": (\.queues, 0...1_000_000),
      "--messages": (\.messages, 0...10_000_000),
      "--size": (\.size, 1...16_048), "--pipeline": (\.pipeline, 1...127),
      "--rate": (\.rate, 0...1_000_000), "--timing": (\.timing, 0...100_000), "--idle": (\.idle, 0...86_400),
      "--server-pid": (\.serverProcess, 1...Int(Int32.max)),
    ]
  }

  init(server: ServerWithAuth<SMPScheme>) { self.server = server }
}

/// Algorithms of the keys of senders.
enum SenderKey: String {
  case ed25519, x25519
}

struct UsageError: Error {
  let reason: String
}
