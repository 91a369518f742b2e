// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A separate package that uses StoreHub's libraries and their macros; scripts/test-package builds it.

/// The strictest rules for imports: each target names exactly the modules that it needs.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]

/// The language mode of the older generations.
let older: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let package = Package(
  name: "user",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../../..")],
  targets: [
    .executableTarget(
      name: "user",
      dependencies: [
        .product(name: "CasePaths", package: "StoreHub"),
        .product(name: "ComposableArchitecture", package: "StoreHub"),
        .product(name: "Dependencies", package: "StoreHub"),
      ]),
    // A shared feature, its daemon and a client, each with one import of this package.
    .target(
      name: "Counter", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")],
      swiftSettings: strict),
    .executableTarget(
      name: "counterd", dependencies: ["Counter", .product(name: "StoreHub", package: "StoreHub")],
      swiftSettings: strict),
    .executableTarget(
      name: "increment", dependencies: ["Counter", .product(name: "StoreClient", package: "StoreHub")],
      swiftSettings: strict),
    // Features of three generations in the Swift of their time, with their tests.
    .target(
      name: "ClassicTodos", dependencies: [.product(name: "ComposableArchitectureClassic", package: "StoreHub")],
      swiftSettings: older),
    .testTarget(
      name: "ClassicTodosTests",
      dependencies: ["ClassicTodos", .product(name: "ComposableArchitectureTestSupport", package: "StoreHub")],
      swiftSettings: older),
    .target(
      name: "RxShop", dependencies: [.product(name: "RxComposableArchitecture", package: "StoreHub")],
      swiftSettings: older),
    .testTarget(
      name: "RxShopTests", dependencies: ["RxShop", .product(name: "RxComposableTesting", package: "StoreHub")],
      swiftSettings: older),
    // Tests without isolation, in the Swift of their time.
    .testTarget(
      name: "UnisolatedTests", dependencies: [.product(name: "ComposableTesting", package: "StoreHub")],
      swiftSettings: older),
    .testTarget(name: "ModernTests", dependencies: [.product(name: "ComposableTesting", package: "StoreHub")]),
  ],
  swiftLanguageModes: [.v6]
)
