// swift-tools-version: 6.2
import PackageDescription

// Targets stand in floor order: a target imports from floors below its own, never from its own floor's
// programs and never upward. `docs/ARCHITECTURE.md` walks through the house.

let common: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
/// Modules that decode over `RawSpan` state the lifetimes of their non-escapable decoders.
let spans: [SwiftSetting] = common + [.enableExperimentalFeature("Lifetimes")]
/// Modules that live on the loop thread, which is the main thread, which is `MainActor`.
let onLoop: [SwiftSetting] = spans + [.defaultIsolation(MainActor.self)]

let package = Package(
  name: "StoreHub",
  products: [
    .library(name: "CasePaths", targets: ["CasePaths"]),
    .library(name: "IssueReporting", targets: ["IssueReporting"]),
    .library(name: "Dependencies", targets: ["Dependencies"]),
    .library(name: "IdentifiedCollections", targets: ["IdentifiedCollections"]),
    .library(name: "ComposableArchitecture", targets: ["ComposableArchitecture"]),
    .library(name: "Wire", targets: ["Wire"]),
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(name: "Features", targets: ["Features"]),
    .library(name: "HubCore", targets: ["HubCore"]),
    .library(name: "ReplicaCore", targets: ["ReplicaCore"]),
    .library(name: "StoreHub", targets: ["StoreHub"]),
    .library(name: "StoreClient", targets: ["StoreClient"]),
    .executable(name: "storehubd", targets: ["storehubd"]),
    .executable(name: "storeterm", targets: ["storeterm"]),
    .executable(name: "storeload", targets: ["storeload"]),
  ],
  targets: [
    // Floor 1: small libraries of our own, and the Debian libraries behind module maps.
    .target(name: "IssueReporting", swiftSettings: common),
    .target(name: "CasePaths", swiftSettings: common),
    .target(name: "IdentifiedCollections", swiftSettings: common),
    .target(name: "Dependencies", dependencies: ["IssueReporting"], swiftSettings: common),
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // No pkgConfig: ncursesw.pc has -D flags that SwiftPM refuses with a warning on every build.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "CGlibc"),

    // Floor 2: the architecture, and the bytes.
    .target(
      name: "ComposableArchitecture", dependencies: ["CasePaths", "Dependencies", "IssueReporting"],
      swiftSettings: common),
    .target(name: "Wire", swiftSettings: spans),

    // Floor 3: the cores without I/O, the features, and the only importers of libuv, ncurses and getopt.
    .target(name: "EventLoop", dependencies: ["CUV"], swiftSettings: onLoop),
    .target(name: "Terminal", dependencies: ["CNcurses"], swiftSettings: onLoop),
    .target(name: "ProgramOptions", dependencies: ["CGlibc"], swiftSettings: common),
    .target(name: "Features", dependencies: ["ComposableArchitecture", "Wire"], swiftSettings: spans),
    .target(name: "HubCore", dependencies: ["ComposableArchitecture", "Wire"], swiftSettings: spans),
    .target(name: "ReplicaCore", dependencies: ["Wire"], swiftSettings: spans),

    // Floor 4: the shells, which give the cores sockets, time and threads.
    .target(name: "HTTPClient", dependencies: ["CCurl", "EventLoop"], swiftSettings: onLoop),
    .target(name: "LoadTest", dependencies: ["EventLoop", "Features", "Wire"], swiftSettings: onLoop),
    .target(
      name: "TerminalViews", dependencies: ["Features", "ReplicaCore", "Terminal"], swiftSettings: onLoop),
    .target(name: "FactService", dependencies: ["Features", "HTTPClient"], swiftSettings: onLoop),
    .target(
      name: "StoreHub", dependencies: ["ComposableArchitecture", "EventLoop", "HubCore", "Wire"], swiftSettings: onLoop),
    .target(
      name: "StoreClient", dependencies: ["ComposableArchitecture", "EventLoop", "ReplicaCore", "Wire"],
      swiftSettings: onLoop),

    // Floor 5: programs. Options and wiring, no logic.
    .executableTarget(
      name: "storehubd",
      dependencies: ["EventLoop", "FactService", "Features", "HTTPClient", "HubCore", "ProgramOptions", "StoreHub"],
      swiftSettings: onLoop),
    .executableTarget(
      name: "storeterm",
      dependencies: [
        "ComposableArchitecture", "EventLoop", "Features", "ProgramOptions", "ReplicaCore", "StoreClient", "Terminal",
        "TerminalViews",
      ],
      swiftSettings: onLoop),
    .executableTarget(
      name: "storeload", dependencies: ["EventLoop", "LoadTest", "ProgramOptions"],
      swiftSettings: onLoop),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: common),
    .testTarget(name: "CasePathsTests", dependencies: ["CasePaths"], swiftSettings: common),
    .testTarget(name: "DependenciesTests", dependencies: ["Dependencies"], swiftSettings: common),
    .testTarget(
      name: "IdentifiedCollectionsTests", dependencies: ["IdentifiedCollections", "TestSupport"], swiftSettings: common),
    .testTarget(name: "ComposableArchitectureTests", dependencies: ["ComposableArchitecture"], swiftSettings: common),
    .testTarget(name: "WireTests", dependencies: ["TestSupport", "Wire"], swiftSettings: spans),
    .executableTarget(
      name: "loopprobe", dependencies: ["EventLoop"], path: "Tests/Fixtures/loopprobe", swiftSettings: onLoop),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "loopprobe"], swiftSettings: onLoop),
    .testTarget(
      name: "HTTPClientTests", dependencies: ["EventLoop", "FactService", "Features", "HTTPClient"],
      swiftSettings: onLoop),
    .testTarget(
      name: "TerminalViewsTests", dependencies: ["Features", "ReplicaCore", "Terminal", "TerminalViews"],
      swiftSettings: common),
    .testTarget(name: "ProgramOptionsTests", dependencies: ["ProgramOptions"], swiftSettings: common),
    .testTarget(
      name: "HubCoreTests", dependencies: ["ComposableArchitecture", "Features", "HubCore", "TestSupport", "Wire"],
      swiftSettings: spans),
    .testTarget(
      name: "ReplicaCoreTests", dependencies: ["Features", "HubCore", "ReplicaCore", "TestSupport", "Wire"],
      swiftSettings: spans),
    .testTarget(
      name: "StoreHubTests",
      dependencies: [
        "ComposableArchitecture", "EventLoop", "Features", "HubCore", "ReplicaCore", "StoreClient", "StoreHub", "Wire",
      ], swiftSettings: onLoop),
    .testTarget(name: "ProgramTests", dependencies: ["storehubd", "storeload", "storeterm"], swiftSettings: common),
    .testTarget(
      name: "FeaturesTests", dependencies: ["ComposableArchitecture", "Features", "TestSupport", "Wire"],
      swiftSettings: spans),
  ],
  swiftLanguageModes: [.v6]
)
