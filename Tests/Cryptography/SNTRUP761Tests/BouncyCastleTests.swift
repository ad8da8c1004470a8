import Foundation
import SNTRUP761
import SimplexCrypto
import SimplexTesting
import Testing

@Suite(
  "Bouncy Castle and we understand each other",
  .enabled(if: BouncyCastle.isPresent, "needs Java 17 and \(BouncyCastle.jar) (Debian: libbcprov-java)"))
struct BouncyCastleTests {
  @Test("Their encapsulations to our keys, and our decapsulations of them")
  func theyEncapsulate() throws {
    var random = InsecureSeededRandom(seed: 11)
    let pairs = (0..<5).map { _ in KEMKeyPair(using: &random) }
    let answers = try BouncyCastle.run(pairs.map { "encapsulate \($0.publicKey.rawBytes.hex)" })
    for (pair, answer) in zip(pairs, answers) {
      let ciphertext = try KEMCiphertext(rawBytes: answer[0])
      try expectStart(of: pair.secretKey.decapsulate(ciphertext), answer[1])
    }
  }

  // Only valid ciphertexts are compared: for others Bouncy Castle 1.72 hashes the re-encrypted ciphertext instead of
  // the received one, and so differs from the specification and the reference implementation.
  @Test("Our encapsulations to their keys, and their decapsulations of them")
  func theyDecapsulate() throws {
    var random = InsecureSeededRandom(seed: 12)
    var commands: [String] = []
    var secrets: [KEMSharedSecret] = []
    for answer in try BouncyCastle.run([String](repeating: "generate", count: 5)) {
      let publicKey = try KEMPublicKey(rawBytes: answer[0])
      let secretKey = try KEMSecretKey(secret: SecretBytes(answer[1]))
      #expect(secretKey.publicKey == publicKey)
      let (ciphertext, secret) = publicKey.encapsulate(using: &random)
      #expect(secretKey.decapsulate(ciphertext) == secret)
      commands.append("decapsulate \(answer[1].hex) \(ciphertext.rawBytes.hex)")
      secrets.append(secret)
    }
    for (secret, answer) in zip(secrets, try BouncyCastle.run(commands)) { try expectStart(of: secret, answer[0]) }
  }

  /// Bouncy Castle 1.72 returns the first 16 bytes of the shared secret; other versions return more. Fewer would prove
  /// little.
  private func expectStart(of secret: KEMSharedSecret, _ theirs: [UInt8]) throws {
    try #require((16...32).contains(theirs.count))
    #expect(Array(secret.secret.array.prefix(theirs.count)) == theirs)
  }
}

/// Runs the Java program beside these tests.
private enum BouncyCastle {
  static let jar = "/usr/share/java/bcprov.jar"
  static let java = ["/usr/bin/java", "/usr/local/bin/java"].first(where: FileManager.default.isExecutableFile)
  static let program = Vectors.folder.deletingLastPathComponent().appendingPathComponent("Interop/BouncyCastleKEM.java")

  static var isPresent: Bool { java != nil && FileManager.default.fileExists(atPath: jar) }

  /// The answers to the commands: each a list of byte strings.
  static func run(_ commands: [String]) throws -> [[[UInt8]]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(java))
    process.arguments = ["-cp", jar, program.path]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The program answers line by line, so both directions have to move at once.
    DispatchQueue.global().async {
      try? input.fileHandleForWriting.write(contentsOf: Data(commands.joined(separator: "\n").utf8))
      try? input.fileHandleForWriting.close()
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let answers = try text.split(separator: "\n").map { line in
      try line.split(separator: " ").map { try #require([UInt8](hex: $0)) }
    }
    try #require(process.terminationStatus == 0 && answers.count == commands.count)
    return answers
  }
}
