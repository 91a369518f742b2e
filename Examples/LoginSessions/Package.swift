// swift-tools-version: 6.2
import PackageDescription

// A hub that shares what another service knows: systemd-logind, over D-Bus. `sessionshub` watches it and keeps the
// number of login sessions as its state; `sessions` prints it. The bus is driven by the hub's loop, without a thread.

/// The hub, its bus and the clients run on the main thread, which is the loop's.
let onLoop: [SwiftSetting] = [
  .defaultIsolation(MainActor.self), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

let package = Package(
  name: "LoginSessions",
  dependencies: [.package(name: "StoreHub", path: Context.environment["STOREHUB"] ?? "../..")],
  targets: [
    .target(name: "LoginSessions", dependencies: [.product(name: "ReplicatedArchitecture", package: "StoreHub")]),
    .systemLibrary(name: "CSDBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    // D-Bus, by sd-bus of libsystemd.
    .target(
      name: "SystemBus", dependencies: ["CSDBus", .product(name: "EventLoop", package: "StoreHub")],
      swiftSettings: onLoop),
    .executableTarget(
      name: "sessionshub",
      dependencies: ["LoginSessions", "SystemBus", .product(name: "StoreHub", package: "StoreHub")],
      swiftSettings: onLoop),
    .executableTarget(
      name: "sessions", dependencies: ["LoginSessions", .product(name: "StoreClient", package: "StoreHub")],
      swiftSettings: onLoop),
    // A bus of its own with a mock of logind.
    .testTarget(
      name: "LoginSessionsTests",
      dependencies: [
        "CSDBus", "LoginSessions", "SystemBus", "sessionshub",
        .product(name: "ComposableTesting", package: "StoreHub"), .product(name: "EventLoop", package: "StoreHub"),
      ], swiftSettings: onLoop),
  ],
  swiftLanguageModes: [.v6]
)
