// swift-tools-version: 6.2
import PackageDescription

// A custom hub: a feature, its daemon and a client. `scripts/new-hub` creates packages of this form.
let package = Package(
  name: "Kitchen",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../..")],
  targets: [
    .target(name: "Kitchen", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")]),
    .executableTarget(
      name: "kitchenhub", dependencies: ["Kitchen", .product(name: "StoreHub", package: "StoreHub")]),
    .executableTarget(name: "board", dependencies: ["Kitchen", .product(name: "StoreClient", package: "StoreHub")]),
    .testTarget(
      name: "KitchenTests", dependencies: ["Kitchen", .product(name: "ComposableTesting", package: "StoreHub")]),
  ],
  swiftLanguageModes: [.v6]
)
