// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A package whose targets belong to the main actor by default, as those of new app projects do since Swift 6.2: the
// features, their hub, a client and the tests are written as elsewhere. scripts/test-package builds it.

let onMainActor: [SwiftSetting] = [
  .defaultIsolation(MainActor.self), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .treatAllWarnings(as: .error),
]

let package = Package(
  name: "isolated",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../../..")],
  targets: [
    .target(
      name: "Journeys", dependencies: [.product(name: "ComposableArchitecture", package: "StoreHub")],
      swiftSettings: onMainActor),
    .testTarget(
      name: "JourneysTests",
      dependencies: ["Journeys", .product(name: "ComposableTesting", package: "StoreHub")], swiftSettings: onMainActor),
    .target(
      name: "Shelf", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")],
      swiftSettings: onMainActor),
    .executableTarget(
      name: "shelfhub", dependencies: ["Shelf", .product(name: "StoreHub", package: "StoreHub")],
      swiftSettings: onMainActor),
    .executableTarget(
      name: "shelfclient", dependencies: ["Shelf", .product(name: "StoreClient", package: "StoreHub")],
      swiftSettings: onMainActor),
  ],
  swiftLanguageModes: [.v6]
)
