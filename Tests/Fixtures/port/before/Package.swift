// swift-tools-version: 6.2
import PackageDescription

// A package before and after `scripts/port`, which must change the one into the other.

let package = Package(
  name: "shelter",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../../../..")],
  targets: [
    .target(name: "Animals", dependencies: []),
    .target(
      name: "Shelter",
      dependencies: [
        "Animals",
        .product(name: "ComposableArchitecture", package: "StoreHub"),
        .product(name: "ReplicatedArchitecture", package: "StoreHub"),
      ]),
    .executableTarget(
      name: "desk",
      dependencies: [
        "Shelter",
        .product(name: "ComposableArchitecture", package: "StoreHub"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
