// swift-tools-version: 6.2
import PackageDescription

// The features of an app for one device, as written for Apple's platforms, without its views.
let package = Package(
  name: "Meetings",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../../..")],
  targets: [
    .target(name: "Meetings", dependencies: [.product(name: "ComposableArchitecture", package: "StoreHub")]),
    .testTarget(
      name: "MeetingsTests", dependencies: ["Meetings", .product(name: "ComposableTesting", package: "StoreHub")]),
  ],
  swiftLanguageModes: [.v6]
)
