// swift-tools-version: 6.2
import PackageDescription

// The app of Before as a hub: by-tool.diff is what scripts/port has changed, by-hand.diff the rest.
let package = Package(
  name: "Meetings",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../..")],
  targets: [
    .target(
      name: "Meetings",
      dependencies: [
        .product(name: "ComposableArchitecture", package: "StoreHub"),
        .product(name: "ReplicatedFoundation", package: "StoreHub"),
      ]),
    .executableTarget(
      name: "meetingshub", dependencies: ["Meetings", .product(name: "StoreHub", package: "StoreHub")]),
    .testTarget(
      name: "MeetingsTests", dependencies: ["Meetings", .product(name: "ComposableTesting", package: "StoreHub")]),
  ],
  swiftLanguageModes: [.v6]
)
