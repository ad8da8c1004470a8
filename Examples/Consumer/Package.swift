// swift-tools-version: 6.2
// A package of its own that uses SimpleX: the examples of README.md and of the guide of ChatState, as they are there
// (scripts/check-snippets compares, scripts/check-consumer compiles). A copy of this folder is a start for a program;
// the dependency is then .package(url: "…", from: "0.9.0").
import PackageDescription

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "simplex", path: "../..")],
  targets: [
    .executableTarget(name: "Bot", dependencies: [.product(name: "SimpleXChat", package: "simplex")]),
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "ChatStateInProcess", package: "simplex"), .product(name: "SimpleXChat", package: "simplex"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
