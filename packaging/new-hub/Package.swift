// swift-tools-version: 6.2
import PackageDescription

// STOREHUB names another checkout of StoreHub than the one that created this package.
let storehub = Context.environment["STOREHUB"] ?? "@STOREHUB@"

let package = Package(
  name: "@NAME@",
  dependencies: [.package(name: "StoreHub", path: storehub)],
  targets: [
    .target(name: "@NAME@", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")]),
    .executableTarget(
      name: "@lower@hub", dependencies: ["@NAME@", .product(name: "StoreHub", package: "StoreHub")]),
    .executableTarget(name: "@lower@", dependencies: ["@NAME@", .product(name: "StoreClient", package: "StoreHub")]),
    .executableTarget(
      name: "@lower@-terminal", dependencies: ["@NAME@", .product(name: "TerminalApp", package: "StoreHub")]),
    .testTarget(
      name: "@NAME@Tests",
      dependencies: [
        "@NAME@", "@lower@-terminal", .product(name: "ComposableTesting", package: "StoreHub"),
        .product(name: "TerminalUI", package: "StoreHub"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
