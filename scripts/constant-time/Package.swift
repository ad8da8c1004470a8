// swift-tools-version: 6.2
import PackageDescription

// The probe that scripts/check-constant-time runs. A package of its own, so that nobody else builds it.
let package = Package(
  name: "constant-time",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "simplex", path: "../..")],
  targets: [
    .executableTarget(
      name: "ConstantTimeProbe",
      dependencies: [
        .product(name: "SNTRUP761", package: "simplex"), .product(name: "SimplexCrypto", package: "simplex"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
