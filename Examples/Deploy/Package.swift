// swift-tools-version: 6.2
import PackageDescription

// A deploy queue: people submit and approve jobs, workers take them. `deployhub` has the queue, `deployworker` does the
// work by a script, `deployterm` shows the queue in a terminal.
let package = Package(
  name: "Deploy",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../..")],
  targets: [
    .target(name: "Deploy", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")]),
    .executableTarget(
      name: "deployhub", dependencies: ["Deploy", .product(name: "StoreHub", package: "StoreHub")]),
    .executableTarget(
      name: "deployworker", dependencies: ["Deploy", .product(name: "StoreClient", package: "StoreHub")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "deployterm", dependencies: ["Deploy", .product(name: "TerminalApp", package: "StoreHub")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "DeployTests",
      dependencies: [
        "Deploy", "deployterm", .product(name: "ComposableTesting", package: "StoreHub"),
        .product(name: "RandomNumbers", package: "StoreHub"), .product(name: "TerminalUI", package: "StoreHub"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
