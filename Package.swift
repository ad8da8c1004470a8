// swift-tools-version: 6.2
import PackageDescription

// The list below is in layer order: a target may import only targets that stand above it (scripts/check-layers).
// "Messaging/SMPProtocol" is the target SMPProtocol in Sources/Messaging; tests likewise in Tests.

let strict = Context.environment["SIMPLEX_STRICT"] == "1"
// For the C library, which shows no type of Foundation and is much smaller without (scripts/make-lib).
let withoutFoundation = Context.environment["SIMPLEX_WITHOUT_FOUNDATION"] == "1"

// For CI, which builds from nothing: whole modules at once. That takes less processor time, but each change compiles its
// module completely.
let buildsOnce = strict && Context.environment["SIMPLEX_BUILD_ONCE"] == "1"

// SwiftPM refuses packages with unsafe flags as dependencies, so only our own builds set them. SwiftPM finds the tests in
// the index that the compiler writes; to index the system's modules too takes a third of the time of a build.
let swiftSettings: [SwiftSetting] =
  [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")]
  + (strict ? [.treatAllWarnings(as: .error), .unsafeFlags(["-index-ignore-system-modules"])] : [])
  + (buildsOnce ? [.unsafeFlags(["-wmo", "-num-threads", "2"], .when(configuration: .debug))] : [])
// Cryptography in C without optimization is slow enough for tests to wait for it.
let cSettings: [CSetting] =
  strict ? [.treatAllWarnings(as: .error), .unsafeFlags(["-O2"], .when(configuration: .debug))] : []

func name(of place: String) -> String { String(place.split(separator: "/").last ?? "") }

func system(_ name: String, pkgConfig: String, apt: String, brew: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt])] + (brew.map { [.brew([$0])] } ?? []))
}

func library(
  layer: Int, _ place: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name(of: place), dependencies: dependencies, path: "Sources/\(place)", swiftSettings: swiftSettings + settings
  )
}

func cLibrary(_ place: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name(of: place), dependencies: dependencies, path: "Sources/\(place)", cSettings: cSettings)
}

func tool(_ place: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name(of: place), dependencies: dependencies, path: "Sources/\(place)", swiftSettings: swiftSettings)
}

func tests(_ place: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(
    name: name(of: place), dependencies: dependencies, path: "Tests/\(place)", exclude: exclude,
    swiftSettings: swiftSettings)
}

// Build time matters: no more of SwiftNIO than this.
let nio: [Target.Dependency] = ["NIOConcurrencyHelpers", "NIOCore", "NIOPosix"].map {
  .product(name: $0, package: "swift-nio")
}

let webSocket: [Target.Dependency] = ["NIOHTTP1", "NIOWebSocket"].map { .product(name: $0, package: "swift-nio") }

let http2: [Target.Dependency] = ["NIOHPACK", "NIOHTTP2"].map { .product(name: $0, package: "swift-nio-http2") }

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
    .library(name: "NotificationProtocol", targets: ["NotificationProtocol"]),
    .library(name: "AgentProtocol", targets: ["AgentProtocol"]),
    .library(name: "ChatAPI", targets: ["ChatAPI"]),
    .library(name: "ChatProtocol", targets: ["ChatProtocol"]),
    .library(name: "SimplexAgent", targets: ["SimplexAgent"]),
    .library(name: "AgentEngine", targets: ["AgentCore", "AgentStore", "AgentEngine"]),
    .library(name: "SimpleXChat", targets: ["ChatAPI", "SimpleXChat"]),
    .library(name: "SimplexFFI", type: .static, targets: ["SimplexFFI"]),
    .library(name: "ChatState", targets: ["ChatState"]),
    .library(name: "ChatStateInProcess", targets: ["ChatState", "ChatStateInProcess"]),
    .library(name: "SimplexFuzz", type: .static, targets: ["SimplexFuzz"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.43.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections.git", from: "1.2.0"),
  ],
  targets: [
    // System libraries
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev", brew: "openssl@3"),
    system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev", brew: "libsodium"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CQRCodeGen", pkgConfig: "qrcodegen", apt: "libqrcodegen-dev"),

    // L0: bytes and cryptography
    library(layer: 0, "Foundations/CivilTime"),
    library(layer: 0, "Foundations/WireCodec", ["CivilTime"]),
    library(
      layer: 0, "Foundations/FoundationTypes",
      settings: withoutFoundation ? [.define("SIMPLEX_WITHOUT_FOUNDATION")] : []),
    library(layer: 0, "Foundations/SimplexJSON", ["CivilTime"]),
    library(layer: 0, "Foundations/Zstd", ["CZstd"]),
    library(layer: 0, "Foundations/FileAccess"),
    library(layer: 0, "Foundations/ProgramSupport", ["FileAccess"]),
    library(
      layer: 0, "Foundations/QRCodes", [.target(name: "CQRCodeGen", condition: .when(platforms: [.linux]))]),
    cLibrary("Cryptography/CSalsa20"),
    cLibrary("Cryptography/CEd25519"),
    cLibrary("Cryptography/COpenSSLSetup", ["COpenSSL"]),
    library(
      layer: 0, "Cryptography/SimplexCrypto",
      ["CEd25519", "COpenSSL", "COpenSSLSetup", "CSalsa20", "CSodium", "FileAccess", "WireCodec"]),
    cLibrary("Cryptography/CSNTRUP761"),
    library(layer: 0, "Cryptography/SNTRUP761", ["CSNTRUP761", "SimplexCrypto"]),

    // L1: messages and the typed API
    library(layer: 1, "Cryptography/DoubleRatchet", ["SimplexCrypto", "SimplexJSON", "SNTRUP761", "WireCodec"]),
    library(layer: 1, "Messaging/SMPProtocol", ["SimplexCrypto", "SimplexJSON", "WireCodec"]),
    library(layer: 1, "Agent/AgentProtocol", ["DoubleRatchet", "SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(layer: 1, "Chat/ChatAPI", ["FoundationTypes", "SimplexCrypto", "SimplexJSON", "WireCodec"]),
    library(
      layer: 1, "Chat/ChatProtocol", ["AgentProtocol", "ChatAPI", "SimplexCrypto", "SimplexJSON", "WireCodec", "Zstd"]),

    library(
      layer: 1, "Files/XFTPProtocol", ["CZlib", "SMPProtocol", "SimplexCrypto", "WireCodec"]),

    library(
      layer: 1, "Notifications/NotificationProtocol", ["SMPProtocol", "SimplexCrypto", "WireCodec"]),

    library(
      layer: 1, "RemoteControl/RemoteControlProtocol",
      ["SMPProtocol", "SNTRUP761", "SimplexCrypto", "SimplexJSON", "WireCodec", "Zstd"]),

    // L2: state machines without input and output
    library(layer: 2, "Messaging/SMPClientCore", ["SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(layer: 2, "Messaging/SMPServerCore", ["SMPProtocol", "SimplexCrypto", "WireCodec"]),
    library(
      layer: 2, "Notifications/NotificationServerCore",
      [
        "NotificationProtocol", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "WireCodec",
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    library(
      layer: 2, "RemoteControl/RemoteControlCore",
      ["RemoteControlProtocol", "SMPProtocol", "SNTRUP761", "SimplexCrypto", "SimplexJSON", "WireCodec"]),

    library(
      layer: 2, "Agent/AgentCore",
      [
        "AgentProtocol", "DoubleRatchet", "NotificationProtocol", "SMPClientCore", "SMPProtocol", "SimplexCrypto",
        "WireCodec", "XFTPProtocol",
      ]),
    library(
      layer: 2, "Chat/ChatLogic",
      ["ChatAPI", "ChatProtocol", "FileAccess", "FoundationTypes", "SimplexCrypto", "SimplexJSON", "WireCodec"]),

    // L3: databases
    library(layer: 3, "Foundations/SQLiteKit", ["CSQLite", "CivilTime", "SimplexCrypto"]),
    library(layer: 3, "Messaging/QueueStore", ["FileAccess", "SMPProtocol", "SMPServerCore", "SQLiteKit"]),
    library(
      layer: 3, "Notifications/NotificationStore",
      ["NotificationProtocol", "NotificationServerCore", "SMPProtocol", "SQLiteKit", "SimplexCrypto", "WireCodec"]),
    library(
      layer: 3, "Chat/ChatStore",
      [
        "ChatAPI", "ChatLogic", "FoundationTypes", "RemoteControlCore", "RemoteControlProtocol", "SQLiteKit",
        "SimplexCrypto", "SimplexJSON", "WireCodec",
      ]),

    library(
      layer: 3, "Agent/AgentStore",
      [
        "AgentCore", "AgentProtocol", "DoubleRatchet", "NotificationProtocol", "SMPProtocol", "SQLiteKit",
        "SimplexCrypto", "WireCodec", "XFTPProtocol",
      ]),

    library(layer: 3, "Foundations/ZipArchive", ["CZlib"]),
    // Knows both stores, and nothing of chats that run; exports as well.
    library(
      layer: 3, "Chat/ProfileImport",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "ChatAPI", "ChatLogic", "ChatStore", "CivilTime", "DoubleRatchet",
        "FileAccess", "NotificationProtocol", "RemoteControlCore", "RemoteControlProtocol", "SMPProtocol", "SQLiteKit",
        "SimplexCrypto", "SimplexJSON", "WireCodec", "ZipArchive",
      ]),

    library(
      layer: 3, "Files/ChunkStore",
      ["FileAccess", "SMPProtocol", "SQLiteKit", "SimplexCrypto", "WireCodec", "XFTPProtocol"]),

    // L4: connections
    library(layer: 4, "Network/SimplexTransport", ["COpenSSL", "COpenSSLSetup", "FileAccess", "WireCodec"] + nio),
    // Apart from the transport, because only a program needs it: the C library is smaller without.
    library(layer: 4, "Network/LocalWebSocket", ["SimplexTransport"] + nio + webSocket),
    // Apart from the transport, because relays of messages do not need it.
    library(layer: 4, "Network/HTTP2Transport", ["SimplexTransport", "WireCodec"] + nio + http2),
    // What relays share.
    library(
      layer: 4, "Servers/RelayChassis",
      ["CivilTime", "FileAccess", "ProgramSupport", "SMPProtocol", "SimplexCrypto", "SimplexTransport", "WireCodec"]
        + nio),
    // Apart from the chassis, because relays inside other programs have no commands.
    library(
      layer: 4, "Servers/RelayCommands",
      [
        "FileAccess", "ProgramSupport", "QRCodes", "RelayChassis", "SMPProtocol", "SimplexCrypto", "SimplexTransport",
        "WireCodec", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // L5: clients and relays
    library(
      layer: 5, "Messaging/SMPClient",
      ["SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTransport", "WireCodec"]),

    library(
      layer: 5, "Messaging/SMPServer",
      [
        "FileAccess", "QueueStore", "RelayChassis", "SMPClient", "SMPClientCore", "SMPProtocol", "SMPServerCore",
        "SimplexCrypto",
        "SimplexTransport", "WireCodec", .product(name: "HeapModule", package: "swift-collections"),
      ] + nio),

    library(
      layer: 5, "Files/XFTPServer",
      [
        "ChunkStore", "FileAccess", "HTTP2Transport", "RelayChassis", "SMPProtocol", "SimplexCrypto",
        "SimplexTransport", "WireCodec", "XFTPProtocol",
      ]),
    library(
      layer: 5, "Files/XFTPClient",
      [
        "FileAccess", "HTTP2Transport", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTransport",
        "WireCodec",
        "XFTPProtocol",
      ]),

    library(
      layer: 5, "Notifications/NotificationServer",
      [
        "FileAccess", "HTTP2Transport", "NotificationProtocol", "NotificationServerCore", "NotificationStore",
        "RelayChassis", "SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexJSON", "SimplexTransport",
        "WireCodec",
      ] + nio),

    library(
      layer: 5, "RemoteControl/RemoteControl",
      [
        "CivilTime", "FileAccess", "HTTP2Transport", "RemoteControlCore", "RemoteControlProtocol", "SMPProtocol",
        "SimplexCrypto", "SimplexJSON", "SimplexTransport", "WireCodec",
      ] + nio),

    library(
      layer: 5, "Agent/AgentEngine",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "DoubleRatchet", "NotificationProtocol", "SMPClientCore",
        "SMPProtocol", "SQLiteKit", "SimplexCrypto", "WireCodec", "XFTPProtocol",
      ]),

    // L6: the agent
    library(
      layer: 6, "Agent/SimplexAgent",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "CivilTime", "FileAccess", "HTTP2Transport",
        "NotificationProtocol", "SMPClient", "SMPClientCore", "SMPProtocol", "SQLiteKit", "SimplexCrypto",
        "SimplexTransport", "WireCodec",
        "XFTPClient",
        "XFTPProtocol",
      ]),

    // L7: the chat core
    library(
      layer: 7, "Chat/SimpleXChat",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "ChatAPI", "ChatLogic", "ChatProtocol", "ChatStore",
        "DoubleRatchet", "FileAccess", "FoundationTypes", "NotificationProtocol", "ProfileImport", "RemoteControl",
        "RemoteControlCore", "RemoteControlProtocol", "SMPClient", "SMPClientCore", "SMPProtocol", "SQLiteKit",
        "SimplexAgent",
        "SimplexCrypto", "SimplexJSON", "SimplexTransport", "WireCodec", "XFTPProtocol",
        "ZipArchive",
      ]),

    // L8: what programs and people use
    library(layer: 8, "Apps/ChatState", ["ChatAPI", "FileAccess", "SimplexJSON"]),
    library(layer: 8, "Apps/ChatStateInProcess", ["ChatAPI", "ChatState", "SimpleXChat"]),
    library(
      layer: 8, "Apps/ChatTerminal",
      [
        "ChatAPI", "ChatLogic", "FileAccess", "LocalWebSocket", "QRCodes", "SimpleXChat", "SimplexJSON", "WireCodec",
        "ZipArchive",
      ]),
    library(
      layer: 8, "Apps/SimplexFFI",
      ["ChatAPI", "FileAccess", "SimpleXChat", "SimplexCrypto", "SimplexJSON", "WireCodec"]),

    // Test support
    library(layer: 9, "Development/ChatStateTesting", ["ChatAPI", "ChatState"]),
    library(layer: 9, "Development/SimplexTesting", ["SimplexJSON"]),
    library(layer: 9, "Development/DiskSimulation", ["CSQLite", "SimplexTesting"]),
    library(layer: 9, "Development/FileTesting", ["ChunkStore", "SMPProtocol"]),
    library(
      layer: 9, "Development/NotificationTesting",
      [
        "AgentCore", "NotificationProtocol", "SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto",
        "SimplexTransport", "WireCodec",
      ]),
    library(
      layer: 9, "Development/SimplexSimulation",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "DoubleRatchet", "QueueStore", "SMPClientCore",
        "SMPProtocol", "SMPServerCore", "SQLiteKit", "SimplexCrypto", "WireCodec",
      ]),
    library(
      layer: 9, "Development/SimplexFuzz",
      [
        "AgentCore",
        "AgentEngine",
        "AgentProtocol",
        "AgentStore",
        "ChatAPI",
        "ChatProtocol",
        "DoubleRatchet",
        "NotificationProtocol",
        "RemoteControlProtocol",
        "SimplexCrypto",
        "SimplexJSON",
        "SMPClientCore",
        "SMPProtocol",
        "SQLiteKit",
        "SimplexSimulation",
        "WireCodec",
        "XFTPProtocol",
        "Zstd",
      ]),

    // Tools
    tool(
      "Development/SimplexBench",
      [
        "AgentCore",
        "AgentProtocol",
        "AgentStore",
        "ChatAPI",
        "ChatStore",
        "ChatState",
        "ChatStateTesting",
        "ChatProtocol",
        "ChunkStore",
        "DoubleRatchet",
        "FileAccess",
        "HTTP2Transport",
        "ProfileImport",
        "ProgramSupport",
        "QueueStore",
        "SMPClient",
        "SMPClientCore",
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
        "XFTPClient",
        "XFTPProtocol",
        "XFTPServer",
        "ZipArchive",
      ]),

    tool("Development/agent-peer", ["AgentCore", "AgentProtocol", "SMPProtocol", "SimplexAgent", "WireCodec"]),
    .executableTarget(
      name: "echo-bot", dependencies: ["ChatAPI", "SimpleXChat"], path: "Examples/EchoBot",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "chat-dashboard",
      dependencies: ["ChatAPI", "ChatState", "ChatStateInProcess", "ChatStateTesting", "SimpleXChat"],
      path: "Examples/ChatDashboard", swiftSettings: swiftSettings),
    tool(
      "Messaging/smp-bench",
      ["FileAccess", "ProgramSupport", "SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "WireCodec"]),
    tool(
      "Messaging/smp-server",
      [
        "FileAccess", "ProgramSupport", "QueueStore", "RelayCommands", "SMPProtocol", "SMPServer", "SimplexTransport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    tool(
      "Files/xftp-server",
      [
        "ChunkStore", "FileAccess", "ProgramSupport", "RelayChassis", "RelayCommands", "SimplexTransport",
        "XFTPProtocol", "XFTPServer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    tool(
      "Files/xftp",
      [
        "FileAccess", "ProgramSupport", "SMPProtocol", "SimplexCrypto", "WireCodec", "XFTPClient", "XFTPProtocol",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    tool(
      "Notifications/ntf-server",
      [
        "FileAccess", "NotificationProtocol", "NotificationServer", "NotificationServerCore", "NotificationStore",
        "ProgramSupport", "RelayChassis", "RelayCommands", "SimplexTransport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    tool(
      "Apps/simplex-demo",
      [
        "ChatAPI", "ChatTerminal", "ProgramSupport", "QueueStore", "SMPServer", "SimpleXChat", "SimplexTransport",
        "WireCodec",
      ]),
    tool(
      "Apps/simplex-chat",
      [
        "ChatAPI", "ChatTerminal", "FileAccess", "ProfileImport", "ProgramSupport", "SMPClientCore", "SMPProtocol",
        "SimpleXChat", "SimplexCrypto", "SimplexJSON", "WireCodec",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Tests
    tests("Development/FuzzTests", ["SimplexFuzz", "SimplexTesting"], exclude: ["Regressions"]),
    tests("Foundations/CivilTimeTests", ["CivilTime"]),
    tests("Foundations/WireCodecTests", ["WireCodec", "SimplexTesting"]),
    tests("Foundations/FileAccessTests", ["FileAccess"]),
    tests("Foundations/FoundationTypesTests", ["FoundationTypes"]),
    tests("Foundations/QRCodesTests", ["QRCodes"]),
    tests("Foundations/SimplexJSONTests", ["SimplexJSON"]),
    tests(
      "Cryptography/SimplexCryptoTests",
      ["CEd25519", "COpenSSL", "CSalsa20", "CSodium", "SimplexCrypto", "SimplexTesting", "WireCodec"]),
    tests("Cryptography/SNTRUP761Tests", ["CSNTRUP761", "SNTRUP761", "SimplexTesting"]),
    tests("Cryptography/DoubleRatchetTests", ["DoubleRatchet", "SimplexTesting"]),
    tests(
      "Messaging/SMPProtocolTests",
      ["ChatAPI", "SMPProtocol", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "WireCodec"]),
    tests(
      "Files/XFTPProtocolTests",
      ["SMPProtocol", "SimplexCrypto", "SimplexTesting", "WireCodec", "XFTPProtocol"]),
    tests(
      "Notifications/NotificationProtocolTests",
      ["NotificationProtocol", "SMPProtocol", "SimplexCrypto", "SimplexTesting", "WireCodec"]),
    tests(
      "Notifications/NotificationServerCoreTests",
      [
        "NotificationProtocol", "NotificationServerCore", "SMPClientCore", "SMPProtocol", "SimplexCrypto",
        "SimplexTesting", "WireCodec",
      ]),
    tests(
      "Notifications/NotificationStoreTests",
      [
        "NotificationProtocol", "NotificationServerCore", "NotificationStore", "SMPProtocol", "SimplexCrypto",
        "WireCodec",
      ]),
    tests(
      "Notifications/NotificationServerTests",
      [
        "HTTP2Transport", "NotificationProtocol", "NotificationServer", "NotificationServerCore", "NotificationStore",
        "SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTransport", "WireCodec", "ntf-server",
        "smp-server",
      ]),
    tests(
      "Network/HTTP2TransportTests", ["HTTP2Transport", "SimplexTesting", "SimplexTransport"]),
    tests(
      "Files/XFTPServerTests",
      [
        "ChunkStore", "FileAccess", "FileTesting", "HTTP2Transport", "RelayChassis", "SMPProtocol", "SQLiteKit",
        "SimplexCrypto", "SimplexTesting", "SimplexTransport", "WireCodec", "XFTPClient", "XFTPProtocol", "XFTPServer",
        "xftp", "xftp-server",
      ]),
    tests(
      "RemoteControl/RemoteControlProtocolTests",
      [
        "RemoteControlProtocol", "SMPProtocol", "SNTRUP761", "SimplexCrypto", "SimplexJSON", "SimplexTesting",
        "WireCodec", "Zstd",
      ]),
    tests(
      "RemoteControl/RemoteControlCoreTests",
      [
        "RemoteControlCore", "RemoteControlProtocol", "SMPProtocol", "SNTRUP761", "SimplexCrypto", "SimplexJSON",
        "SimplexTesting", "WireCodec",
      ]),
    tests(
      "RemoteControl/RemoteControlTests",
      [
        "FileAccess", "HTTP2Transport", "RemoteControl", "RemoteControlCore", "RemoteControlProtocol", "SMPProtocol",
        "SimplexCrypto", "SimplexJSON", "SimplexTesting", "SimplexTransport", "WireCodec",
      ]),
    tests("Agent/AgentProtocolTests", ["AgentProtocol", "SimplexTesting"]),
    tests(
      "Messaging/SMPClientTests",
      ["SMPClient", "SMPClientCore", "SMPProtocol", "SimplexCrypto", "SimplexTesting", "SimplexTransport", "WireCodec"]),
    tests(
      "Chat/ChatAPITests", ["ChatAPI", "SMPProtocol", "SimplexTesting", "WireCodec"],
      exclude: ["check_sdk.py", "sdk_commands.py"]),
    tests(
      "Chat/ChatProtocolTests",
      [
        "AgentProtocol", "ChatAPI", "ChatProtocol", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "WireCodec",
        "Zstd",
      ]),
    tests(
      "Chat/ChatLogicTests",
      [
        "ChatAPI", "ChatLogic", "ChatProtocol", "ChatStateTesting", "SimplexCrypto", "SimplexJSON", "SimplexTesting",
        "WireCodec",
      ]),
    tests("Foundations/ZipArchiveTests", ["SimplexTesting", "ZipArchive"]),
    tests("Network/LocalWebSocketTests", ["LocalWebSocket"] + nio + webSocket),
    tests("Apps/ChatStateTests", ["ChatAPI", "ChatState", "ChatStateTesting", "SimplexTesting", "chat-dashboard"]),
    tests(
      "Apps/ChatTerminalTests",
      ["ChatAPI", "ChatLogic", "ChatStateTesting", "ChatTerminal", "SimpleXChat", "SimplexTesting"],
      exclude: ["group-conversation.txt", "websocket.py"]),
    tests(
      "Apps/SimplexFFITests",
      [
        "ChatAPI", "NotificationTesting", "QueueStore", "SMPServer", "SimpleXChat", "SimplexFFI", "SimplexJSON",
        "SimplexTesting", "SimplexTransport", "WireCodec", "smp-server",
      ],
      exclude: [
        "abuse.c", "cores.py", "databases.py", "kills.py", "kills_compare.py", "library.py", "lifecycle.py",
        "squaring_bot.py", "usage.c",
      ]),
    tests("Network/SimplexTransportTests", ["SimplexTesting", "SimplexTransport"] + nio),
    tests(
      "Chat/SimpleXChatTests",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "CSQLite", "ChatAPI", "ChatLogic", "ChatProtocol",
        "ChatState", "ChatStateInProcess", "ChatStore", "ChunkStore", "DoubleRatchet", "NotificationTesting",
        "ProfileImport", "QueueStore", "RemoteControl", "RemoteControlCore", "RemoteControlProtocol", "SMPClient",
        "SMPClientCore", "SMPProtocol", "SMPServer", "SMPServerCore", "SNTRUP761", "SQLiteKit",
        "SimpleXChat", "SimplexAgent", "SimplexCrypto", "SimplexJSON", "SimplexTesting", "SimplexTransport",
        "WireCodec", "XFTPProtocol", "XFTPServer", "ZipArchive",
      ]),
    tests(
      "Foundations/SQLiteKitTests", ["CSQLite", "DiskSimulation", "SQLiteKit", "SimplexCrypto", "SimplexTesting"]),
    tests(
      "Messaging/SMPServerCoreTests",
      ["QueueStore", "SMPProtocol", "SMPServerCore", "SimplexCrypto", "SimplexTesting", "WireCodec"]),
    tests(
      "Messaging/QueueStoreTests",
      [
        "CSQLite", "DiskSimulation", "QueueStore", "SMPProtocol", "SMPServerCore", "SQLiteKit", "SimplexCrypto",
        "SimplexTesting",
      ]),
    tests(
      "Agent/AgentStoreTests",
      ["AgentCore", "AgentProtocol", "AgentStore", "DoubleRatchet", "SMPProtocol", "SQLiteKit", "SimplexCrypto"],
      exclude: ["schema.sql"]),
    tests(
      "Agent/AgentEngineTests",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "AgentStore", "DoubleRatchet", "NotificationProtocol",
        "NotificationTesting", "SMPClientCore", "SMPProtocol", "SNTRUP761", "SimplexCrypto", "SimplexTesting",
        "SQLiteKit", "WireCodec",
      ]),
    tests(
      "Chat/ChatStoreTests",
      [
        "ChatAPI", "ChatLogic", "ChatStore", "RemoteControlCore", "RemoteControlProtocol", "SQLiteKit", "SimplexCrypto",
        "SimplexJSON", "SimplexTesting",
      ],
      exclude: ["query-plans.txt", "schema.sql"]),
    tests(
      "Chat/ProfileImportTests",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "CSQLite", "ChatAPI", "ChatStore", "DoubleRatchet", "FileAccess",
        "NotificationProtocol", "ProfileImport", "RemoteControlCore", "RemoteControlProtocol", "SMPProtocol",
        "SQLiteKit", "SimpleXChat",
        "SimplexCrypto", "SimplexJSON", "SimplexTesting",
        "WireCodec",
        "ZipArchive",
      ]),
    tests(
      "Agent/SimplexAgentTests",
      [
        "AgentCore", "AgentProtocol", "AgentStore", "ChunkStore", "FileTesting", "NotificationProtocol",
        "NotificationTesting", "QueueStore", "SMPClientCore", "SMPProtocol", "SMPServer", "SQLiteKit", "SimplexAgent",
        "SimplexCrypto", "SimplexTesting", "SimplexTransport",
        "WireCodec", "XFTPClient", "XFTPProtocol", "XFTPServer", "agent-peer",
      ]),
    tests(
      "Development/SimulationTests",
      [
        "AgentCore", "AgentEngine", "AgentProtocol", "SMPClientCore", "SMPProtocol", "SQLiteKit", "SimplexCrypto",
        "SimplexSimulation", "SimplexTesting",
      ]),
    tests(
      "Messaging/SMPServerTests",
      [
        "FileAccess", "QueueStore", "RelayChassis", "SMPClient", "SMPClientCore", "SMPProtocol", "SMPServer",
        "SMPServerCore", "SQLiteKit", "SimplexCrypto", "SimplexTesting", "SimplexTransport", "WireCodec", "smp-bench",
        "smp-server",
      ] + nio),
    // Programs as people and other programs use them.
    tests(
      "Apps/ProgramTests",
      [
        "ChatLogic", "RemoteControl", "SMPProtocol", "SQLiteKit", "SimplexJSON", "SimplexTesting", "XFTPProtocol",
        "simplex-chat",
        "simplex-demo", "smp-bench", "smp-server", "xftp", "xftp-server",
      ] + nio + webSocket,
      exclude: [
        "chat_program.py", "conversation.py", "echo_bot_scenario.py", "everyday.py", "fake_suite.py", "networks.py",
        "qr_code.py",
        "socks_proxy.py", "terminal.py",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
