// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A package of somebody else that uses StoreHub's libraries and their macros; scripts/test-package builds it.
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
      ])
  ],
  swiftLanguageModes: [.v6]
)
