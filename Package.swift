// swift-tools-version: 6.2
import PackageDescription

// The list below is in layer order: a target may import only targets that stand above it (scripts/check-layers).

let strict = Context.environment["SIMPLEX_STRICT"] == "1"
// For the C library, which shows no type of Foundation and is much smaller without (scripts/make-lib).
let withoutFoundation = Context.environment["SIMPLEX_WITHOUT_FOUNDATION"] == "1"

let swiftSettings: [SwiftSetting] =
  [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")]
  + (strict ? [.treatAllWarnings(as: .error)] : [])

func library(
  layer: Int, _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings + settings)
}

func cLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, cSettings: strict ? [.treatAllWarnings(as: .error)] : [])
}

func tool(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

// Build time matters: no more of SwiftNIO than this.
let nio: [Target.Dependency] = ["NIOConcurrencyHelpers", "NIOCore", "NIOPosix"].map {
  .product(name: $0, package: "swift-nio")
}

let webSocket: [Target.Dependency] = ["NIOHTTP1", "NIOWebSocket"].map { .product(name: $0, package: "swift-nio") }

let package = Package(
  name: "simplex",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "WireCodec", targets: ["WireCodec"]),
    .library(name: "SimplexJSON", targets: ["SimplexJSON"]),
    .library(name: "SimplexCrypto", targets: ["SimplexCrypto"]),
    .library(name: "SNTRUP761", targets: ["SNTRUP761"]),
    .library(name: "DoubleRatchet", targets: ["DoubleRatchet"]),
    .library(name: "SMPProtocol", targets: ["SMPProtocol"]),
    .library(name: "AgentProtocol", targets: ["AgentProtocol"]),
    .library(name: "ChatAPI", targets: ["ChatAPI"]),
    .library(name: "ChatProtocol", targets: ["ChatProtocol"]),
    .library(name: "SimplexAgent", targets: ["SimplexAgent"]),
    .library(name: "AgentEngine", targets: ["AgentCore", "AgentStore", "AgentEngine"]),
    .library(name: "SimpleXChat", targets: ["ChatAPI", "SimpleXChat"]),
    .library(name: "SimplexFFI", type: .static, targets: ["SimplexFFI"]),
    .library(name: "ChatState", targets: ["ChatState"]),
    .library(name: "SimplexFuzz", type: .static, targets: ["SimplexFuzz"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
  ],
  targets: [
    // System libraries
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

    // L0: bytes and cryptography
    library(layer: 0, "WireCodec"),
    library(
      layer: 0, "FoundationTypes", settings: withoutFoundation ? [.define("SIMPLEX_WITHOUT_FOUNDATION")] : []),
    library(layer: 0, "SimplexJSON"),
    library(layer: 0, "ProgramSupport"),
    cLibrary("CSalsa20"),
    cLibrary("CEd25519"),
    cLibrary("COpenSSLSetup", ["COpenSSL"]),
    library(
      layer: 0, "SimplexCrypto", ["CEd25519", "COpenSSL", "COpenSSLSetup", "CSalsa20", "CSodium", "WireCodec"]),
    cLibrary("CSNTRUP761"),
    library(layer: 0, "SNTRUP761", ["CSNTRUP761", "SimplexCrypto"]),

    // L1: messages and the typed API
    library(layer: 1, "DoubleRatchet", ["SimplexCrypto", "SimplexJSON", "SNTRUP761", "WireCodec"]),
    library(layer: 1, "SMPProtocol", ["SimplexCrypto", "SimplexJSON", "WireCodec"]),
    library(layer: 1, "AgentProtocol", ["DoubleRatchet", "SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(layer: 1, "ChatAPI", ["FoundationTypes", "SimplexCrypto", "SimplexJSON", "WireCodec"]),
    library(
      layer: 1, "ChatProtocol", ["AgentProtocol", "ChatAPI", "CZstd", "SimplexCrypto", "SimplexJSON", "WireCodec"]),

    // L2: state machines without input and output
    library(layer: 2, "SMPClientCore", ["SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(layer: 2, "SMPServerCore", ["SMPProtocol", "SimplexCrypto", "WireCodec"]),

    library(
      layer: 2, "AgentCore",
      ["AgentProtocol", "DoubleRatchet", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(layer: 2, "ChatLogic", ["ChatAPI", "FoundationTypes", "SimplexJSON"]),

    // L3: databases
    library(layer: 3, "SQLiteKit", ["CSQLite", "SimplexCrypto"]),
    library(layer: 3, "QueueStore", ["SMPProtocol", "SMPServerCore", "SQLiteKit"]),
    library(
      layer: 3, "ChatStore",
      ["ChatAPI", "ChatLogic", "FoundationTypes", "SQLiteKit", "SimplexCrypto", "SimplexJSON"]),

    library(
      layer: 3, "AgentStore",
      ["AgentCore", "AgentProtocol", "DoubleRatchet", "SMPProtocol", "SQLiteKit", "SimplexCrypto", "WireCodec"]),

    library(layer: 3, "ZipArchive", ["CZlib"]),

    // L4: connections
    library(layer: 4, "SimplexTransport", ["COpenSSL", "COpenSSLSetup", "WireCodec"] + nio),
    // Apart from the transport, because only a program needs it: the C library is smaller without.
    library(layer: 4, "LocalWebSocket", nio + webSocket),

    // L5: clients and relays
    library(
      layer: 5, "SMPClient",
      ["SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTransport", "WireCodec"]),

    library(
      layer: 5, "SMPServer",
      [
        "QueueStore", "SMPClient", "SMPClientCore", "SMPProtocol", "SMPServerCore", "SimplexCrypto", "SimplexTransport",
        "WireCodec",
      ] + nio),

    library(
      layer: 5, "AgentEngine",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "DoubleRatchet", "SMPClientCore", "SMPProtocol", "SQLiteKit",
        "SimplexCrypto", "WireCodec",
      ]),

    // L6: the agent
    library(
      layer: 6, "SimplexAgent",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "SMPClient", "SMPClientCore", "SMPProtocol",
        "SQLiteKit", "SimplexCrypto", "SimplexTransport",
      ]),

    // L7: the chat core
    library(
      layer: 7, "SimpleXChat",
      [
        "AgentCore", "AgentProtocol", "ChatAPI", "ChatLogic", "ChatProtocol", "ChatStore", "DoubleRatchet",
        "FoundationTypes", "SMPClient", "SMPClientCore", "SMPProtocol", "SQLiteKit", "SimplexAgent", "SimplexCrypto",
        "SimplexJSON", "SimplexTransport", "WireCodec", "ZipArchive",
      ]),

    // L8: what programs and people use
    library(layer: 8, "ChatState", ["ChatAPI", "SimplexJSON"]),
    library(layer: 8, "ChatStateInProcess", ["ChatAPI", "ChatState", "SimpleXChat"]),
    library(
      layer: 8, "ChatTerminal",
      ["ChatAPI", "ChatLogic", "LocalWebSocket", "SimpleXChat", "SimplexJSON", "WireCodec"]),
    library(layer: 8, "SimplexFFI", ["ChatAPI", "SimpleXChat", "SimplexCrypto", "SimplexJSON", "WireCodec"]),

    // Test support
    library(layer: 9, "ChatStateTesting", ["ChatAPI", "ChatState"]),
    library(layer: 9, "SimplexTesting", ["SimplexJSON"]),
    library(
      layer: 9, "SimplexSimulation",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "DoubleRatchet", "QueueStore", "SMPClientCore",
        "SMPProtocol", "SMPServerCore", "SQLiteKit", "SimplexCrypto", "WireCodec",
      ]),
    library(
      layer: 9, "SimplexFuzz",
      [
        "AgentCore",
        "AgentEngine",
        "AgentProtocol",
        "AgentStore",
        "ChatAPI",
        "ChatProtocol",
        "DoubleRatchet",
        "SimplexCrypto",
        "SimplexJSON",
        "SMPClientCore",
        "SMPProtocol",
        "SQLiteKit",
        "SimplexSimulation",
        "WireCodec",
      ]),

    // Tools
    tool(
      "SimplexBench",
      [
        "AgentCore",
        "AgentProtocol",
        "AgentStore",
        "ChatAPI",
        "ChatStore",
        "ChatState",
        "ChatStateTesting",
        "ChatProtocol",
        "DoubleRatchet",
        "ProgramSupport",
        "QueueStore",
        "SMPServer",
        "SMPServerCore",
        "SNTRUP761",
        "SimpleXChat",
        "SimplexAgent",
        "SimplexCrypto",
        "SimplexJSON",
        "SimplexTransport",
        "SMPProtocol",
        "SQLiteKit",
        "WireCodec",
      ]),

    tool("agent-peer", ["AgentCore", "AgentProtocol", "SMPProtocol", "SimplexAgent", "WireCodec"]),
    tool(
      "chat-dashboard", ["ChatAPI", "ChatState", "ChatStateInProcess", "ChatStateTesting", "SimpleXChat"],
      path: "Examples/ChatDashboard"),
    tool("smp-bench", ["ProgramSupport", "SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "WireCodec"]),
    tool(
      "smp-server",
      [
        "ProgramSupport", "QueueStore", "SMPProtocol", "SMPServer", "SimplexCrypto", "SimplexTransport", "WireCodec",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    tool(
      "simplex-demo",
      [
        "ChatAPI", "ChatTerminal", "ProgramSupport", "QueueStore", "SMPServer", "SimpleXChat", "SimplexTransport",
        "WireCodec",
      ]),
    tool(
      "simplex-chat",
      ["ChatTerminal", "ProgramSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")]),

    // Tests
    tests("FuzzTests", ["SimplexFuzz", "SimplexTesting"], exclude: ["Regressions"]),
    tests("WireCodecTests", ["WireCodec", "SimplexTesting"]),
    tests("FoundationTypesTests", ["FoundationTypes"]),
    tests("SimplexJSONTests", ["SimplexJSON"]),
    tests(
      "SimplexCryptoTests",
      ["CEd25519", "COpenSSL", "CSalsa20", "CSodium", "SimplexCrypto", "SimplexTesting", "WireCodec"]),
    tests("SNTRUP761Tests", ["CSNTRUP761", "SNTRUP761", "SimplexTesting"]),
    tests("DoubleRatchetTests", ["DoubleRatchet", "SimplexTesting"]),
    tests("SMPProtocolTests", ["SMPProtocol", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "WireCodec"]),
    tests("AgentProtocolTests", ["AgentProtocol", "SimplexTesting"]),
    tests(
      "SMPClientTests",
      ["SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTesting", "SimplexTransport", "WireCodec"]),
    tests("ChatAPITests", ["ChatAPI", "SimplexTesting"], exclude: ["check_sdk.py", "sdk_commands.py"]),
    tests(
      "ChatProtocolTests",
      ["AgentProtocol", "ChatAPI", "ChatProtocol", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "WireCodec"]),
    tests("ChatLogicTests", ["ChatAPI", "ChatLogic", "ChatStateTesting", "SimplexTesting"]),
    tests("ZipArchiveTests", ["SimplexTesting", "ZipArchive"]),
    tests("LocalWebSocketTests", ["LocalWebSocket"] + nio + webSocket),
    tests("ChatStateTests", ["ChatAPI", "ChatState", "ChatStateTesting", "SimplexTesting", "chat-dashboard"]),
    tests(
      "ChatTerminalTests",
      ["ChatAPI", "ChatLogic", "ChatStateTesting", "ChatTerminal", "SimpleXChat", "SimplexTesting"],
      exclude: ["websocket.py"]),
    tests(
      "SimplexFFITests",
      [
        "ChatAPI", "QueueStore", "SMPServer", "SimpleXChat", "SimplexFFI", "SimplexTesting", "SimplexTransport",
        "WireCodec",
      ],
      exclude: ["abuse.c", "databases.py", "library.py", "squaring_bot.py", "usage.c"]),
    tests("SimplexTransportTests", ["SimplexTesting", "SimplexTransport"] + nio),
    tests(
      "SimpleXChatTests",
      [
        "AgentCore", "AgentProtocol", "ChatAPI", "ChatLogic", "ChatState", "ChatStateInProcess", "ChatStore",
        "QueueStore", "SMPClient", "SMPClientCore", "SMPProtocol", "SMPServer", "SMPServerCore", "SimpleXChat",
        "SimplexAgent", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "SimplexTransport", "WireCodec",
      ]),
    tests("SQLiteKitTests", ["SQLiteKit", "SimplexCrypto", "SimplexTesting"]),
    tests(
      "SMPServerCoreTests", ["QueueStore", "SMPProtocol", "SMPServerCore", "SimplexCrypto", "SimplexTesting"]),
    tests("QueueStoreTests", ["QueueStore", "SMPServerCore", "SQLiteKit", "SimplexCrypto"]),
    tests(
      "AgentStoreTests", ["AgentCore", "AgentProtocol", "AgentStore", "SMPProtocol", "SQLiteKit", "SimplexCrypto"],
      exclude: ["schema.sql"]),
    tests(
      "AgentEngineTests",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "DoubleRatchet", "SMPClientCore", "SMPProtocol",
        "SNTRUP761", "SimplexCrypto", "SimplexTesting", "SQLiteKit", "WireCodec",
      ]),
    tests(
      "ChatStoreTests",
      ["ChatAPI", "ChatLogic", "ChatStore", "SQLiteKit", "SimplexCrypto", "SimplexJSON", "SimplexTesting"],
      exclude: ["query-plans.txt", "schema.sql"]),
    tests(
      "SimplexAgentTests",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "QueueStore", "SMPClientCore", "SMPProtocol", "SMPServer",
        "SQLiteKit", "SimplexAgent", "SimplexTransport", "agent-peer",
      ]),
    tests(
      "SimulationTests",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "SMPClientCore", "SMPProtocol", "SQLiteKit", "SimplexCrypto",
        "SimplexSimulation", "SimplexTesting",
      ]),
    tests(
      "SMPServerTests",
      [
        "QueueStore", "SMPClient", "SMPClientCore", "SMPProtocol", "SMPServer", "SMPServerCore", "SQLiteKit",
        "SimplexCrypto", "SimplexTesting", "SimplexTransport", "WireCodec", "smp-server",
      ]),
    // Programs as people and other programs use them.
    tests(
      "ProgramTests",
      ["SimplexJSON", "SimplexTesting", "simplex-chat", "simplex-demo", "smp-server"] + nio + webSocket,
      exclude: ["chat_program.py", "conversation.py", "terminal.py"]),
  ],
  swiftLanguageModes: [.v6]
)
