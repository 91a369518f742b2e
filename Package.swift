// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

// Targets are ordered by layer: a target imports from its own layer and those below, but never programs.
// `docs/ARCHITECTURE.md` describes the layers.

// STOREHUB_FUZZ=1, which `make fuzz` sets, compiles everything for libFuzzer and the address sanitizer, and builds storefuzz.
let forFuzzing = Context.environment["STOREHUB_FUZZ"] != nil

let common: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ] + (forFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : [])
/// Modules that decode over `RawSpan` state the lifetimes of their non-escapable decoders.
let spans: [SwiftSetting] = common + [.enableExperimentalFeature("Lifetimes")]
/// Modules on the loop's thread, which is the main thread and therefore the `MainActor`'s.
let onLoop: [SwiftSetting] = spans + [.defaultIsolation(MainActor.self)]

// The toolchain contains swift-syntax for its own plugins. Our macros are built with that copy, found beside the `swift`
// on the PATH, so that nothing has to be downloaded. STOREHUB_SWIFT_SYNTAX=VERSION uses that version of the package
// instead, which needs no unsafe flags, so that this package can be a versioned dependency.
let swiftSyntaxVersion = Context.environment["STOREHUB_SWIFT_SYNTAX"].flatMap(Version.init)
let swiftSyntaxProducts = [
  "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion", "SwiftSyntaxBuilder", "SwiftParser",
  "SwiftDiagnostics", "SwiftCompilerPluginMessageHandling",
]
let hostLibraries = toolchain() + "/usr/lib/swift/host"

/// The folder of the toolchain: the one above `usr/bin/swift`, after resolving links on the PATH.
func toolchain() -> String {
  for folder in (Context.environment["PATH"] ?? "").split(separator: ":") {
    let swift = URL(fileURLWithPath: "\(folder)/swift").resolvingSymlinksInPath()
    guard FileManager.default.isExecutableFile(atPath: swift.path) else { continue }
    let root = swift.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    if FileManager.default.fileExists(atPath: "\(root)/usr/lib/swift/host/libSwiftSyntax.so") { return root }
  }
  fatalError("No swift toolchain with usr/lib/swift/host on the PATH: install one from swift.org, version 6.2 or later")
}

let macroSettings: [SwiftSetting] =
  [.enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error)]
  + (swiftSyntaxVersion == nil ? [.unsafeFlags(["-I", hostLibraries])] : [])
let macroLinkerSettings: [LinkerSetting] =
  swiftSyntaxVersion == nil
  ? [
    .unsafeFlags(
      ["-L", hostLibraries, "-Xlinker", "-rpath=\(hostLibraries)"] + swiftSyntaxProducts.map { "-l\($0)" })
  ] : []
let macroDependencies: [Target.Dependency] =
  swiftSyntaxVersion == nil
  ? []
  : swiftSyntaxProducts.map {
    // The package marks this product as one for compiler plugins.
    .product(name: $0 == "SwiftCompilerPluginMessageHandling" ? "_\($0)" : $0, package: "swift-syntax")
  }

let package = Package(
  name: "StoreHub",
  products: [
    .library(name: "CasePaths", targets: ["CasePaths"]),
    .library(name: "IssueReporting", targets: ["IssueReporting"]),
    .library(name: "IssueReportingTestSupport", targets: ["IssueReportingTestSupport"]),
    .library(name: "XCTestDynamicOverlay", targets: ["XCTestDynamicOverlay"]),
    .library(name: "CustomDump", targets: ["CustomDump", "CustomDumpFoundation"]),
    .library(name: "PromptState", targets: ["PromptState"]),
    .library(name: "SwiftNavigation", targets: ["SwiftNavigation"]),
    .library(name: "Perception", targets: ["Perception"]),
    .library(name: "Sharing", targets: ["Sharing"]),
    .library(name: "ConcurrencyExtras", targets: ["ConcurrencyExtras"]),
    .library(name: "ConcurrencyExtrasTestSupport", targets: ["ConcurrencyExtrasTestSupport"]),
    .library(name: "CombineSchedulers", targets: ["CombineSchedulers"]),
    .library(name: "Clocks", targets: ["Clocks"]),
    .library(name: "DependenciesMacros", targets: ["DependenciesMacros"]),
    .library(name: "Dependencies", targets: ["Dependencies"]),
    .library(name: "RandomNumbers", targets: ["RandomNumbers"]),
    .library(name: "DependenciesFoundation", targets: ["DependenciesFoundation"]),
    .library(name: "DependenciesTestSupport", targets: ["DependenciesTestSupport"]),
    .library(name: "IdentifiedCollections", targets: ["IdentifiedCollections"]),
    // With the modules that it re-exports, so that `make api-check` compares them.
    .library(
      name: "ComposableArchitecture",
      targets: ["ComposableArchitecture", "ComposableCore", "FeatureCore", "CustomDumpFoundation"]),
    .library(name: "ComposableArchitectureClassic", targets: ["ComposableArchitectureClassic"]),
    .library(
      name: "ComposableArchitectureTestSupport", targets: ["ComposableArchitectureTestSupport", "CustomDumpFoundation"]),
    .library(name: "ComposableTesting", targets: ["ComposableTesting"]),
    .library(name: "RxComposableArchitecture", targets: ["RxComposableArchitecture"]),
    .library(name: "RxComposableTesting", targets: ["RxComposableTesting", "CustomDumpFoundation"]),
    .library(name: "Wire", targets: ["Wire"]),
    .library(name: "SchemaNames", targets: ["SchemaNames", "JSONText"]),
    .library(name: "ReplicatedArchitecture", targets: ["ReplicatedArchitecture"]),
    .library(name: "ReplicatedFoundation", targets: ["ReplicatedFoundation"]),
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(name: "Features", targets: ["Features"]),
    .library(name: "HubCore", targets: ["HubCore"]),
    .library(name: "ReplicaCore", targets: ["ReplicaCore"]),
    .library(name: "TurnLog", targets: ["TurnLog"]),
    .library(name: "Journal", targets: ["Journal"]),
    // With the module that it re-exports, so that `make api-check` compares it.
    .library(name: "StoreHub", targets: ["StoreHub", "ServiceProcess"]),
    .library(name: "ClusterHub", targets: ["ClusterHub"]),
    .library(name: "StoreClient", targets: ["StoreClient"]),
    .library(name: "AsyncClient", targets: ["AsyncClient"]),
    .library(name: "TerminalUI", targets: ["TerminalUI", "Terminal"]),
    .library(name: "TerminalApp", targets: ["TerminalApp"]),
    .executable(name: "storehubd", targets: ["storehubd"]),
    .executable(name: "storectl", targets: ["storectl"]),
    .executable(name: "storeterm", targets: ["storeterm"]),
    .executable(name: "storegate", targets: ["storegate"]),
    .executable(name: "storeload", targets: ["storeload"]),
    .executable(name: "storesim", targets: ["storesim"]),
  ],
  dependencies: swiftSyntaxVersion.map {
    [.package(url: "https://github.com/swiftlang/swift-syntax.git", from: $0)]
  } ?? [],
  targets: [
    // Layer 1: small libraries of our own, and the Debian libraries behind module maps.
    .target(name: "IssueReporting", swiftSettings: common),
    // Who has sent an action.
    .target(name: "Senders", swiftSettings: common),
    // "Did you mean …?", for options and for names in a schema.
    .target(name: "Spelling", swiftSettings: common),
    // The one generator of random numbers with a seed.
    .target(name: "RandomNumbers", swiftSettings: common),
    // JSON values, and the one writer of JSON.
    .target(name: "JSONText", swiftSettings: common + [.strictMemorySafety()]),
    // Separate, because it links the test frameworks.
    .target(name: "IssueReportingTestSupport", dependencies: ["IssueReporting"], swiftSettings: common),
    .target(name: "XCTestDynamicOverlay", dependencies: ["IssueReporting"], swiftSettings: common),
    // The plugin of the compiler. Separate from the expansions, because SwiftPM would build tests that depend on a plugin
    // for the machine that compiles, and with them all modules a second time.
    .macro(
      name: "StoreHubMacros", dependencies: ["MacroExpansions"] + macroDependencies, swiftSettings: macroSettings,
      linkerSettings: macroLinkerSettings),
    .target(
      name: "MacroExpansions", dependencies: macroDependencies, swiftSettings: macroSettings,
      linkerSettings: macroLinkerSettings),
    .target(name: "IdentifiedCollections", dependencies: ["IssueReporting"], swiftSettings: common),
    .target(name: "CustomDump", dependencies: ["IssueReporting"], swiftSettings: common),
    .target(
      name: "CasePaths", dependencies: ["CustomDump", "IssueReporting", "StoreHubMacros"], swiftSettings: common),
    // Separate, so that the programs here do not load all of Foundation; the products contain both.
    .target(name: "CustomDumpFoundation", dependencies: ["CustomDump"], swiftSettings: common),
    .target(name: "PromptState", dependencies: ["ConcurrencyExtras", "CustomDump"], swiftSettings: common),
    .target(name: "SwiftNavigation", dependencies: ["PromptState"], swiftSettings: common),
    .target(name: "ConcurrencyExtras", swiftSettings: common),
    // Separate, because it links a test framework.
    .target(name: "ConcurrencyExtrasTestSupport", dependencies: ["ConcurrencyExtras"], swiftSettings: common),
    .target(
      name: "CombineSchedulers", dependencies: ["ConcurrencyExtras", "IssueReporting"], swiftSettings: common),
    .target(
      name: "Dependencies",
      dependencies: [
        "CFeatureCore", "CombineSchedulers", "ConcurrencyExtras", "IssueReporting", "Senders", "StoreHubMacros",
      ],
      swiftSettings: common),
    // The module names of the original libraries, for their import lines.
    .target(name: "Clocks", dependencies: ["Dependencies"], swiftSettings: common),
    .target(name: "DependenciesMacros", dependencies: ["Dependencies"], swiftSettings: common),
    .target(name: "Perception", swiftSettings: common),
    // Separate, so that only programs that need them link Foundation and FoundationNetworking.
    .target(
      name: "DependenciesFoundation", dependencies: ["CombineSchedulers", "ConcurrencyExtras", "Dependencies"],
      swiftSettings: common),
    // Separate, because it links the test frameworks.
    .target(
      name: "DependenciesTestSupport",
      dependencies: ["ConcurrencyExtras", "Dependencies", "IssueReportingTestSupport"], swiftSettings: common),
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // No pkgConfig: ncursesw.pc has -D flags that SwiftPM refuses with a warning on every build.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "CGlibc"),
    .systemLibrary(name: "CLibmd", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CJSON", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CINIH", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
    .systemLibrary(name: "CEpoll"),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    // No pkgConfig: libwebsockets.pc has -lcap, which only the library itself needs. Its plug-in for libuv is loaded at run
    // time.
    .systemLibrary(
      name: "CWebSockets", providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    // Thread-local variables, which Swift does not have.
    .target(name: "CFeatureCore"),

    // Layer 2: the architecture, and the bytes.
    // The part of the architecture for hubs, without stores and I/O.
    .target(
      name: "FeatureCore",
      dependencies: [
        "CFeatureCore", "CasePaths", "ConcurrencyExtras", "CustomDump", "Dependencies", "IdentifiedCollections",
        "CombineSchedulers", "IssueReporting", "PromptState", "Senders", "StoreHubMacros",
      ], swiftSettings: common),
    .target(
      name: "ComposableCore",
      dependencies: [
        "CasePaths", "ConcurrencyExtras", "CustomDump", "Dependencies", "IdentifiedCollections", "IssueReporting",
        "JSONText", "PromptState", "FeatureCore", "Sharing", "StoreHubMacros",
      ], swiftSettings: common),
    // The import for apps. Separate, because programs that link only ComposableCore do not load all of Foundation.
    .target(
      name: "ComposableArchitecture", dependencies: ["ComposableCore", "DependenciesFoundation", "Perception"],
      swiftSettings: common),
    .target(
      name: "Sharing", dependencies: ["CustomDump", "Dependencies", "IdentifiedCollections", "IssueReporting"],
      swiftSettings: common),
    // What both older generations write otherwise than 1.x: paths, prompts and bindings.
    .target(
      name: "EarlierForms", dependencies: ["CasePaths", "PromptState"], swiftSettings: common),
    // The streams of the older generations' effects.
    .target(
      name: "EffectStreams", dependencies: ["CombineSchedulers", "ConcurrencyExtras", "FeatureCore"],
      swiftSettings: common),
    // The generations of the architecture before 1.0, over the same core.
    .target(
      name: "ComposableArchitectureClassic",
      dependencies: [
        "CasePaths", "CombineSchedulers", "ComposableCore", "ConcurrencyExtras", "CustomDump", "DependenciesFoundation",
        "EarlierForms", "EffectStreams", "IdentifiedCollections", "IssueReporting", "PromptState", "FeatureCore",
      ], swiftSettings: common),
    // The common part of the test stores of these generations. Separate, because it links the test frameworks.
    .target(
      name: "EarlierTesting",
      dependencies: [
        "ComposableCore", "ConcurrencyExtras", "CustomDump", "CustomDumpFoundation", "IssueReporting",
        "IssueReportingTestSupport", "FeatureCore",
      ], swiftSettings: common),
    // The name is that of TCA 0.1.
    .target(
      name: "ComposableArchitectureTestSupport",
      dependencies: [
        "ComposableArchitectureClassic", "ConcurrencyExtras", "EffectStreams", "IssueReporting", "FeatureCore",
        "EarlierTesting",
      ], swiftSettings: common),
    .target(
      name: "RxComposableArchitecture",
      dependencies: [
        "CasePaths", "CombineSchedulers", "ComposableArchitectureClassic", "ComposableCore", "ConcurrencyExtras",
        "CustomDump", "Dependencies", "EarlierForms", "EffectStreams", "IdentifiedCollections", "IssueReporting",
        "PromptState", "FeatureCore",
      ], swiftSettings: common),
    .target(
      name: "RxComposableTesting",
      dependencies: [
        "ConcurrencyExtras", "Dependencies", "EffectStreams", "IssueReporting", "RxComposableArchitecture",
        "EarlierTesting",
      ], swiftSettings: common),
    // Separate, because it links the test frameworks.
    .target(
      name: "ComposableTesting",
      dependencies: [
        "CasePaths", "ComposableArchitecture", "ConcurrencyExtras", "ConcurrencyExtrasTestSupport",
        "CustomDumpFoundation", "Dependencies", "DependenciesTestSupport", "IssueReporting",
        "IssueReportingTestSupport",
      ],
      swiftSettings: common),
    .target(
      name: "Wire", dependencies: ["CLibmd", "CXXHash", "IdentifiedCollections", "Senders", "StoreHubMacros"],
      swiftSettings: spans + [.strictMemorySafety()]),
    // Paths, actions and values in users' notation, by a schema alone.
    .target(
      name: "SchemaNames", dependencies: ["IdentifiedCollections", "JSONText", "Spelling", "Wire"],
      swiftSettings: spans + [.strictMemorySafety()]),
    // The data that a hub stores, and the interface of its log.
    .target(name: "TurnLog", dependencies: ["Senders", "Wire"], swiftSettings: spans),
    // The entries of a cluster's replicated log, and the transactions of the store that has it.
    .target(name: "ClusterLog", dependencies: ["Wire"], swiftSettings: spans),
    // The messages of etcd, in Protocol Buffers.
    .target(name: "EtcdMessages", swiftSettings: common),
    // The one import of a shared feature.
    .target(
      name: "ReplicatedArchitecture",
      dependencies: ["CasePaths", "ComposableCore", "Dependencies", "IdentifiedCollections", "FeatureCore", "Wire"],
      swiftSettings: spans),

    // Types of all of Foundation. Separate, so that no hub links it for features without them.
    .target(name: "ReplicatedFoundation", dependencies: ["ReplicatedArchitecture", "Wire"], swiftSettings: spans),

    // Layer 3: the cores without I/O, the features, and the only importers of libuv, ncurses and getopt.
    .target(name: "EventLoop", dependencies: ["CUV"], swiftSettings: onLoop + [.strictMemorySafety()]),
    // systemd: notifications, passed and kept descriptors, journal records.
    .target(name: "ServiceManager", dependencies: ["CSystemd"], swiftSettings: spans),
    .target(name: "Terminal", dependencies: ["CNcurses"], swiftSettings: onLoop),
    .target(name: "ProgramOptions", dependencies: ["CGlibc", "JSONText", "Spelling"], swiftSettings: common),
    // Reads INI files. Separate, so that only programs that use it link libinih.
    .target(name: "INIText", dependencies: ["CINIH"], swiftSettings: common),
    // Databases of SQLite.
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: spans),
    // Reads JSON, for tools. Separate, so that no hub links Jansson.
    .target(name: "JSONParser", dependencies: ["CJSON", "JSONText"], swiftSettings: common),
    .target(name: "Features", dependencies: ["ReplicatedArchitecture"], swiftSettings: spans),
    .target(
      name: "HubCore",
      dependencies: [
        "Dependencies", "IdentifiedCollections", "FeatureCore", "SchemaNames", "Senders", "TurnLog", "Wire",
      ], swiftSettings: spans),
    .target(name: "ReplicaCore", dependencies: ["Senders", "Wire"], swiftSettings: spans),
    // A hub's part in the replicated log of a cluster.
    .target(
      name: "ClusterCore", dependencies: ["ClusterLog", "RandomNumbers", "TurnLog", "Wire"], swiftSettings: spans),
    // The link between two nodes of a cluster.
    .target(name: "ClusterLink", dependencies: ["ClusterCore", "ClusterLog", "Wire"], swiftSettings: spans),

    // gRPC over HTTP/2, by nghttp2.
    .target(name: "GRPCConnection", dependencies: ["CNGHTTP2"], swiftSettings: spans),
    // Connections over TCP, with TLS by OpenSSL or without.
    .target(
      name: "NetworkStream", dependencies: ["COpenSSL", "EventLoop"], swiftSettings: onLoop),

    // Layer 4: the shells, which give the cores sockets, time and threads.
    // Turns in an SQLite database.
    .target(name: "Journal", dependencies: ["JSONText", "SQLite", "TurnLog", "Wire"], swiftSettings: spans),
    .target(name: "HTTPClient", dependencies: ["CCurl", "EventLoop"], swiftSettings: onLoop),
    // Calls and watches of etcd, on the loop.
    .target(
      name: "EtcdClient",
      dependencies: ["EtcdMessages", "EventLoop", "GRPCConnection", "NetworkStream", "RandomNumbers"],
      swiftSettings: onLoop),
    // A cluster's log in etcd.
    .target(
      name: "EtcdLogStore",
      dependencies: ["ClusterCore", "ClusterLog", "EtcdClient", "EtcdMessages", "EventLoop", "Wire"],
      swiftSettings: onLoop),
    // Creates load by the schema alone, on separate threads, without the loop of the other shells.
    .target(
      name: "LoadTest",
      dependencies: [
        "CEpoll", "INIText", "JSONParser", "JSONText", "ProgramOptions", "RandomNumbers", "ReplicaCore", "SchemaNames",
        "Spelling", "Wire",
      ],
      swiftSettings: spans),
    // Views of a store for terminals.
    .target(
      name: "TerminalUI",
      dependencies: [
        "CasePaths", "ComposableCore", "ConcurrencyExtras", "FeatureCore", "IdentifiedCollections", "IssueReporting",
        "ProgramOptions", "PromptState", "Terminal",
      ],
      swiftSettings: onLoop),
    .target(
      name: "TerminalViews",
      dependencies: [
        "ComposableCore", "EventLoop", "Features", "IdentifiedCollections", "JSONText", "Journal", "ProgramOptions",
        "SchemaNames", "Terminal", "TerminalApp", "TerminalUI", "TurnLog", "Wire",
      ],
      swiftSettings: onLoop),
    // What a terminal shows of any hub, and what its keys do, by the schema alone.
    .target(
      name: "SchemaBrowser",
      dependencies: [
        "ComposableCore", "Dependencies", "INIText", "JSONParser", "JSONText", "ReplicaCore", "SchemaNames", "Spelling",
        "TurnLog", "Wire",
      ],
      swiftSettings: spans),
    // The screens of any hub on a terminal, and their connection.
    .target(
      name: "BrowserTerminal",
      dependencies: [
        "ComposableCore", "Dependencies", "EventLoop", "Journal", "ProgramOptions", "ReplicaConnection", "ReplicaCore",
        "SchemaBrowser", "SchemaNames", "TerminalApp", "TerminalUI", "TerminalViews", "TurnLog", "Wire",
      ],
      swiftSettings: onLoop),
    // HTTP for this machine, by libmicrohttpd.
    .target(name: "HTTPServer", dependencies: ["CMicroHTTPD", "EventLoop"], swiftSettings: onLoop),
    // WebSockets and files over HTTP, by libwebsockets. Separate, so that only the gateway is on the network with it.
    .target(
      name: "WebSocketServer", dependencies: ["CWebSockets", "EventLoop"], swiftSettings: onLoop),
    // What operators see of a service: its log, its metrics and its watchdog.
    .target(
      name: "ServiceProcess", dependencies: ["EventLoop", "HTTPServer", "JSONText", "ServiceManager"],
      swiftSettings: onLoop),
    // The tokens with which remote clients may use a hub.
    .target(name: "GatewayTokens", dependencies: ["INIText", "Wire"], swiftSettings: common),
    // The gateway of a hub for browsers and remote programs.
    .target(
      name: "Gateway",
      dependencies: [
        "EventLoop", "GatewayTokens", "HTTPServer", "INIText", "NetworkStream", "ProgramOptions", "ServiceManager",
        "ServiceProcess", "WebSocketServer", "Wire",
      ],
      swiftSettings: onLoop),
    // The rights and limits of a hub, from the operator's files.
    .target(
      name: "Configuration",
      dependencies: [
        "ClusterLog", "EtcdMessages", "HubCore", "INIText", "ProgramOptions", "SchemaNames", "Spelling", "Wire",
      ],
      swiftSettings: common),
    .target(
      name: "StoreHub",
      dependencies: [
        "CombineSchedulers", "Configuration", "Dependencies", "EventLoop", "HTTPServer", "HubCore", "Journal",
        "ProgramOptions", "FeatureCore", "IssueReporting", "JSONText", "ReplicatedArchitecture", "SchemaNames",
        "Senders", "ServiceManager", "ServiceProcess", "TurnLog", "Wire",
      ],
      swiftSettings: onLoop),
    // A hub that takes part in a cluster. Separate, so that only programs that name it link a client of etcd and TLS.
    .target(
      name: "ClusterHub",
      dependencies: [
        "ClusterCore", "ClusterLink", "ClusterLog", "Configuration", "EtcdClient", "EtcdLogStore", "EventLoop",
        "Journal", "NetworkStream", "ServiceProcess", "StoreHub", "TurnLog", "Wire",
      ], swiftSettings: onLoop),
    // The socket of a client, whether compiled with the feature or not.
    .target(
      name: "ReplicaConnection", dependencies: ["EventLoop", "ReplicaCore", "Wire"], swiftSettings: onLoop),
    .target(
      name: "StoreClient",
      dependencies: [
        "CasePaths", "CombineSchedulers", "ComposableCore", "ConcurrencyExtras", "Dependencies", "EventLoop",
        "FeatureCore", "IssueReporting", "ReplicaConnection", "ReplicaCore", "ReplicatedArchitecture", "SQLite",
        "Senders", "Sharing", "Wire",
      ],
      swiftSettings: onLoop),
    // The client for programs that await. Not on the loop, which is the main actor's.
    .target(
      name: "AsyncClient", dependencies: ["EventLoop", "IssueReporting", "ReplicaCore", "Senders", "Wire"],
      swiftSettings: spans),
    // Terminal clients: the connection to a hub, and the terminal on the loop. Separate, so that views link no client.
    .target(
      name: "TerminalApp",
      dependencies: [
        "ComposableCore", "EventLoop", "FeatureCore", "ProgramOptions", "ReplicaCore", "StoreClient", "Terminal",
        "TerminalUI", "Wire",
      ],
      swiftSettings: onLoop),
    // Source in other languages from a schema.
    .target(name: "SchemaGenerator", dependencies: ["Wire"], swiftSettings: common),
    // The commands of storectl, which work with any feature.
    .target(
      name: "StorectlCommands",
      dependencies: [
        "ClusterLog", "Configuration", "EtcdClient", "EtcdLogStore", "EventLoop", "GatewayTokens", "HTTPServer",
        "JSONParser", "JSONText", "Journal", "NetworkStream", "ProgramOptions", "ReplicaConnection", "ReplicaCore",
        "SchemaGenerator", "SchemaNames", "Spelling", "Terminal", "TurnLog", "Wire",
      ],
      resources: [.embedInCode("Inspector/Page")], swiftSettings: onLoop),

    // Virtual shells: a hub, its clients, the network, the disk and the clock on one thread.
    .target(
      name: "Simulation",
      dependencies: [
        "ClusterCore", "ClusterLink", "ClusterLog", "Dependencies", "FeatureCore", "Features", "HubCore",
        "IdentifiedCollections", "RandomNumbers", "ReplicaCore",
        "ReplicatedArchitecture", "SchemaNames", "Senders", "TurnLog", "Wire",
      ], swiftSettings: spans),

    // Layer 5: programs. Options and wiring, no logic.
    .executableTarget(name: "storectl", dependencies: ["StorectlCommands", "ProgramOptions"], swiftSettings: onLoop),
    .executableTarget(name: "storegate", dependencies: ["Gateway", "ProgramOptions"], swiftSettings: onLoop),
    .executableTarget(
      name: "storehubd",
      dependencies: ["ClusterHub", "Features", "HTTPClient", "StoreHub"],
      swiftSettings: onLoop),
    .executableTarget(
      name: "storeterm",
      dependencies: [
        "BrowserTerminal", "ComposableCore", "EventLoop", "Features", "IdentifiedCollections", "ProgramOptions",
        "ReplicaCore", "StoreClient", "Terminal", "TerminalApp", "TerminalUI", "TerminalViews", "Wire",
      ],
      swiftSettings: onLoop),
    .executableTarget(
      name: "storeload", dependencies: ["JSONParser", "JSONText", "LoadTest", "ProgramOptions"],
      swiftSettings: common),
    .executableTarget(
      name: "storesim", dependencies: ["ProgramOptions", "Simulation"], swiftSettings: common),
    // The changes to an existing package that `scripts/port` makes; no product, and not installed.
    .target(
      name: "Porting", dependencies: ["MacroExpansions"] + macroDependencies, swiftSettings: macroSettings,
      linkerSettings: macroLinkerSettings),
    .executableTarget(
      name: "storeport", dependencies: ["Porting", "ProgramOptions"], swiftSettings: macroSettings,
      linkerSettings: macroLinkerSettings),
    // Measures stores within one process; `make bench-inprocess` runs it.
    .target(name: "Allocations", path: "bench/allocations"),
    .executableTarget(
      name: "storebench",
      dependencies: [
        "Allocations", "ComposableCore", "EventLoop", "HubCore", "IdentifiedCollections", "ReplicatedArchitecture",
        "StoreHub", "Wire",
      ],
      path: "bench/inprocess", swiftSettings: spans),
    // Appends to a log in etcd; `scripts/bench etcd` runs it.
    .executableTarget(
      name: "etcdappend", dependencies: ["ClusterLog", "EtcdClient", "EtcdLogStore", "EtcdMessages", "EventLoop"],
      path: "bench/etcd",
      swiftSettings: onLoop),

    .target(name: "TestSupport", dependencies: ["RandomNumbers"], path: "Tests/TestSupport", swiftSettings: common),
    .target(
      name: "TestFeatures",
      dependencies: [
        "ComposableArchitecture", "HubCore", "IdentifiedCollections", "ReplicatedArchitecture", "TestSupport", "Wire",
      ],
      path: "Tests/TestFeatures", swiftSettings: spans),
    .target(
      name: "Fuzzing",
      dependencies: [
        "BrowserTerminal", "ClusterCore", "ClusterLink", "ClusterLog", "ComposableArchitecture", "EtcdMessages",
        "Features", "GRPCConnection", "HubCore", "IdentifiedCollections", "ReplicaCore", "SchemaBrowser", "SchemaNames",
        "Terminal", "TerminalApp", "TerminalUI", "TerminalViews", "TestSupport", "Wire",
      ], path: "Tests/Fuzzing", swiftSettings: spans),
    .testTarget(name: "TidyTests", swiftSettings: common),
    // Compiles the code on the pages with the built modules, all of which are built before it runs.
    .testTarget(name: "DocumentationTests", dependencies: ["TestSupport"], swiftSettings: common),
    .testTarget(name: "FuzzTests", dependencies: ["Fuzzing", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "MacroExpansionsTests", dependencies: ["MacroExpansions"] + macroDependencies, swiftSettings: macroSettings,
      linkerSettings: macroLinkerSettings),
    .testTarget(
      name: "MacroUseTests", dependencies: ["ComposableArchitecture", "DependenciesTestSupport"],
      swiftSettings: common),
    .testTarget(name: "CasePathsTests", dependencies: ["CasePaths", "IssueReporting"], swiftSettings: common),
    .testTarget(
      name: "CustomDumpTests", dependencies: ["CustomDump", "CustomDumpFoundation", "IssueReporting", "TestSupport"],
      swiftSettings: common),
    .testTarget(name: "PromptStateTests", dependencies: ["CustomDump", "PromptState"], swiftSettings: common),
    .testTarget(
      name: "SharingTests",
      dependencies: [
        "CustomDump", "Dependencies", "DependenciesTestSupport", "IdentifiedCollections", "IssueReporting", "Sharing",
      ],
      swiftSettings: common),
    .testTarget(name: "ConcurrencyExtrasTests", dependencies: ["ConcurrencyExtras"], swiftSettings: common),
    .testTarget(
      name: "IssueReportingTests", dependencies: ["IssueReporting", "IssueReportingTestSupport"], swiftSettings: common),
    .testTarget(
      name: "DependenciesTests",
      dependencies: [
        "CombineSchedulers", "ConcurrencyExtras", "Dependencies", "DependenciesFoundation", "DependenciesTestSupport",
        "IssueReporting", "Senders",
      ], swiftSettings: common),
    // Sources written for the original libraries, with their import lines.
    .testTarget(
      name: "UnchangedSourcesTests",
      dependencies: [
        "CasePaths", "Clocks", "CombineSchedulers", "ComposableArchitecture", "ComposableTesting", "ConcurrencyExtras",
        "CustomDump", "Dependencies", "DependenciesMacros", "DependenciesTestSupport", "IdentifiedCollections",
        "IssueReporting", "IssueReportingTestSupport", "Perception", "Sharing", "SwiftNavigation",
        "XCTestDynamicOverlay",
      ], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "ComposableArchitectureClassicTests",
      dependencies: [
        "ComposableArchitecture", "ComposableArchitectureClassic", "ComposableArchitectureTestSupport",
        "ComposableTesting", "ConcurrencyExtras", "IssueReporting",
      ], swiftSettings: [.swiftLanguageMode(.v5)]),
    // The code of the seeds of each generation; names clash between them.
    .testTarget(
      name: "SeedsTestsClassic",
      dependencies: ["ComposableArchitectureClassic", "ComposableArchitectureTestSupport", "ConcurrencyExtras"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "SeedsTestsModern", dependencies: ["ComposableArchitecture", "ComposableTesting", "IssueReporting"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "SeedsTestsRx", dependencies: ["ConcurrencyExtras", "RxComposableArchitecture", "RxComposableTesting"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "RxComposableArchitectureTests",
      dependencies: ["IssueReporting", "RxComposableArchitecture", "RxComposableTesting"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "IdentifiedCollectionsTests", dependencies: ["IdentifiedCollections", "IssueReporting", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "ComposableTestingTests", dependencies: ["ComposableTesting", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "ComposableArchitectureTests",
      dependencies: ["CasePaths", "ComposableArchitecture", "FeatureCore", "RandomNumbers"],
      swiftSettings: common),
    .testTarget(name: "WireTests", dependencies: ["Senders", "TestSupport", "Wire"], swiftSettings: spans),
    .testTarget(
      // With the test support, each test has ids of its own in whatever set of targets it is built.
      name: "ReplicationTests",
      dependencies: [
        "ComposableArchitecture", "CXXHash", "DependenciesTestSupport", "Features", "IdentifiedCollections",
        "JSONParser", "JSONText",
        "ReplicatedArchitecture", "ReplicatedFoundation", "SchemaNames", "TestSupport", "Wire",
      ], swiftSettings: spans),
    .executableTarget(
      name: "loopprobe", dependencies: ["EventLoop"], path: "Tests/Fixtures/loopprobe", swiftSettings: onLoop),
    .executableTarget(
      name: "allocprobe",
      dependencies: ["Allocations", "ComposableCore", "EventLoop", "HubCore", "StoreClient", "StoreHub", "Wire"],
      path: "Tests/Fixtures/allocprobe", swiftSettings: spans),
    .executableTarget(
      name: "blockedhub", dependencies: ["ReplicatedArchitecture", "StoreHub"], path: "Tests/Fixtures/blockedhub",
      swiftSettings: spans),
    .executableTarget(
      name: "planhub", dependencies: ["IdentifiedCollections", "ReplicatedArchitecture", "StoreHub"],
      path: "Tests/Fixtures/planhub", swiftSettings: spans),
    .executableTarget(
      name: "meetinghub", dependencies: ["ReplicatedArchitecture", "StoreHub"], path: "Tests/Fixtures/meetinghub",
      swiftSettings: spans),
    .executableTarget(
      name: "hostilehub", dependencies: ["ReplicatedArchitecture", "StoreHub", "TestFeatures"],
      path: "Tests/Fixtures/hostilehub", swiftSettings: spans),
    .executableTarget(
      name: "sharedhub", dependencies: ["StoreHub", "TestFeatures"], path: "Tests/Fixtures/sharedhub",
      swiftSettings: spans),
    .executableTarget(
      name: "dinerhub", dependencies: ["ReplicatedArchitecture", "StoreHub", "TestFeatures"],
      path: "Tests/Fixtures/dinerhub", swiftSettings: spans),
    .executableTarget(
      name: "ledgerhub", dependencies: ["ClusterHub", "ReplicatedArchitecture", "StoreHub", "TestFeatures"],
      path: "Tests/Fixtures/ledgerhub", swiftSettings: spans),
    .executableTarget(
      name: "sharededitor",
      dependencies: ["ComposableArchitecture", "EventLoop", "RandomNumbers", "StoreClient", "TestFeatures", "Wire"],
      path: "Tests/Fixtures/sharededitor", swiftSettings: onLoop),
    .executableTarget(
      name: "sharedprobe",
      dependencies: ["ComposableArchitecture", "EventLoop", "RandomNumbers", "StoreClient", "TestFeatures"],
      path: "Tests/Fixtures/sharedprobe", swiftSettings: onLoop),
    .executableTarget(
      name: "hostileclient", dependencies: ["ComposableCore", "EventLoop", "StoreClient", "TestFeatures", "Wire"],
      path: "Tests/Fixtures/hostileclient", swiftSettings: onLoop),
    .executableTarget(
      name: "outboxclient", dependencies: ["ComposableCore", "EventLoop", "Features", "StoreClient"],
      path: "Tests/Fixtures/outboxclient", swiftSettings: onLoop),
    .executableTarget(
      name: "todoterminal", dependencies: ["Features", "TerminalApp"], path: "Tests/Fixtures/todoterminal",
      swiftSettings: onLoop),
    // The async client as a program for scripts/conformance, which scripts/test-clients runs.
    .executableTarget(
      name: "conformant",
      dependencies: [
        "AsyncClient", "IdentifiedCollections", "JSONParser", "JSONText", "ReplicaCore", "SchemaNames", "Wire",
      ], path: "Tests/Fixtures/conformant", swiftSettings: spans),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "loopprobe"], swiftSettings: onLoop),
    .testTarget(
      name: "HTTPClientTests", dependencies: ["EventLoop", "Features", "HTTPClient", "storehubd"],
      swiftSettings: onLoop),
    .testTarget(
      name: "TerminalUITests",
      dependencies: [
        "ComposableArchitecture", "IssueReportingTestSupport", "RandomNumbers", "Terminal", "TerminalApp",
        "TerminalUI", "TestSupport",
      ],
      swiftSettings: onLoop),
    .testTarget(
      name: "TerminalViewsTests",
      dependencies: [
        "ComposableArchitecture", "Features", "ReplicaCore", "StoreClient", "Terminal", "TerminalApp", "TerminalUI",
        "TerminalViews", "TurnLog", "Wire",
      ],
      swiftSettings: onLoop),
    .testTarget(
      name: "BrowserTerminalTests",
      dependencies: [
        "BrowserTerminal", "ComposableArchitecture", "IdentifiedCollections", "RandomNumbers", "SchemaBrowser",
        "SchemaNames", "TerminalUI", "TestFeatures", "Wire",
      ], swiftSettings: onLoop),
    .testTarget(
      name: "SchemaBrowserTests",
      dependencies: [
        "ComposableArchitecture", "ComposableTesting", "Features", "IdentifiedCollections", "RandomNumbers",
        "ReplicatedArchitecture", "SchemaBrowser", "SchemaNames", "TestFeatures", "Wire",
      ], swiftSettings: spans),
    .testTarget(name: "ServiceManagerTests", dependencies: ["ServiceManager", "TestSupport"], swiftSettings: common),
    .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/Fixtures/CFaultVFS"),
    .testTarget(
      name: "JournalTests",
      dependencies: [
        "CFaultVFS", "CSQLite", "ComposableArchitecture", "HubCore", "Journal", "Senders", "StoreHub", "TestFeatures",
        "TestSupport", "TurnLog", "Wire",
      ], swiftSettings: spans),
    .testTarget(
      name: "LoadTestTests",
      dependencies: [
        "FeatureCore", "Features", "IdentifiedCollections", "INIText", "JSONText", "LoadTest", "SchemaNames",
        "TestSupport", "Wire",
      ],
      swiftSettings: spans),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "ClusterLog", "Configuration", "EtcdMessages", "FeatureCore", "Features", "HubCore", "ReplicatedArchitecture",
        "SchemaNames", "Wire",
      ],
      swiftSettings: spans),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONParser", "JSONText"], swiftSettings: common),
    .testTarget(name: "ProgramOptionsTests", dependencies: ["ProgramOptions"], swiftSettings: common),
    .testTarget(
      name: "HubCoreTests",
      dependencies: [
        "CFeatureCore", "ComposableArchitecture", "FeatureCore", "Features", "HubCore", "IdentifiedCollections",
        "ReplicatedArchitecture", "SchemaNames", "Senders", "TestFeatures", "TestSupport", "TurnLog",
        "Wire",
      ],
      swiftSettings: spans),
    .testTarget(
      name: "ReplicaCoreTests",
      dependencies: [
        "ComposableArchitecture", "Features", "HubCore", "IdentifiedCollections", "ReplicaCore",
        "ReplicatedArchitecture", "SchemaNames", "TestFeatures", "TestSupport", "TurnLog", "Wire",
      ],
      swiftSettings: spans),
    .testTarget(
      name: "EtcdClientTests",
      dependencies: [
        "ClusterCore", "ClusterHub", "ClusterLink", "ClusterLog", "Configuration", "EtcdClient", "EtcdLogStore",
        "EtcdMessages", "EventLoop", "GRPCConnection", "NetworkStream", "TestSupport", "Wire",
      ], swiftSettings: onLoop),
    .testTarget(name: "ClusterLogTests", dependencies: ["ClusterLog", "TestSupport", "Wire"], swiftSettings: spans),
    .testTarget(name: "ClusterCoreTests", dependencies: ["ClusterCore", "ClusterLog", "Wire"], swiftSettings: spans),
    .testTarget(
      name: "ClusterLinkTests", dependencies: ["ClusterCore", "ClusterLink", "ClusterLog", "TestSupport", "Wire"],
      swiftSettings: spans),
    .testTarget(
      name: "SimulationTests", dependencies: ["HubCore", "RandomNumbers", "Simulation", "TestSupport"],
      swiftSettings: spans),
    .testTarget(
      name: "StoreHubTests",
      dependencies: [
        "BrowserTerminal", "ComposableArchitecture", "ComposableTesting", "EventLoop", "Features", "HubCore",
        "IdentifiedCollections", "IssueReporting", "Journal", "RandomNumbers", "ReplicaCore", "ReplicatedArchitecture",
        "SQLite", "SchemaBrowser", "ServiceManager", "StoreClient", "StoreHub", "TestFeatures", "TestSupport",
        "TurnLog", "Wire", "storehubd",
      ], swiftSettings: onLoop),
    .testTarget(
      name: "AsyncClientTests",
      dependencies: [
        "AsyncClient", "Features", "IdentifiedCollections", "ReplicaCore", "TestSupport", "Wire", "storehubd",
      ], swiftSettings: spans),
    // The seeds' apps of each generation in a hub.
    .testTarget(
      name: "SeedsTestsHub",
      dependencies: [
        "ComposableArchitectureClassic", "ConcurrencyExtras", "EventLoop", "HubCore", "FeatureCore", "ReplicaCore",
        "ReplicatedArchitecture", "RxComposableArchitecture", "StoreClient", "StoreHub",
      ], swiftSettings: spans),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "AsyncClient", "Features", "GatewayTokens", "Journal", "TestFeatures", "TestSupport", "TurnLog", "Wire",
        "allocprobe", "blockedhub", "dinerhub", "hostileclient", "hostilehub", "ledgerhub", "meetinghub",
        "outboxclient", "planhub", "storectl", "storegate", "storehubd", "storeload", "storesim", "storeterm",
        "todoterminal",
      ],
      swiftSettings: common),
    .testTarget(
      name: "PortingTests", dependencies: ["Porting", "TestSupport", "storeport"] + macroDependencies,
      swiftSettings: macroSettings, linkerSettings: macroLinkerSettings),
    .testTarget(
      name: "GatewayTests",
      dependencies: ["EventLoop", "Gateway", "GatewayTokens", "TestSupport", "WebSocketServer", "Wire"],
      swiftSettings: onLoop),
    .testTarget(
      name: "SchemaGeneratorTests",
      dependencies: [
        "ComposableArchitecture", "Features", "ReplicatedArchitecture", "ReplicatedFoundation", "SchemaGenerator",
        "TestSupport", "Wire",
      ], swiftSettings: common),
    .testTarget(
      name: "StorectlCommandsTests",
      dependencies: [
        "ClusterLog", "ComposableArchitecture", "EtcdLogStore", "EventLoop", "Features", "HTTPServer",
        "IdentifiedCollections", "Journal", "JSONParser", "JSONText", "ProgramOptions", "ReplicaCore", "SchemaNames",
        "StorectlCommands", "TestSupport", "TurnLog", "Wire",
      ],
      swiftSettings: onLoop),
    .testTarget(
      name: "FeaturesTests",
      dependencies: ["ComposableArchitecture", "ComposableTesting", "Features", "TestSupport", "Wire"],
      swiftSettings: spans),
  ]
    + (forFuzzing
      ? [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fixtures/CLibFuzzer"),
        .executableTarget(
          name: "storefuzz", dependencies: ["CLibFuzzer", "Fuzzing"], path: "Tests/Fixtures/storefuzz",
          swiftSettings: spans, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
      ] : []),
  swiftLanguageModes: [.v6]
)

// The folders of the modules that do not stand directly in Sources or Tests.
let groups = [
  "Cluster": ["ClusterCore", "ClusterHub", "ClusterLink", "ClusterLog", "EtcdClient", "EtcdLogStore", "EtcdMessages"],
  "Architecture": [
    "CFeatureCore", "CasePaths", "CombineSchedulers", "ComposableArchitecture", "ComposableCore", "ComposableTesting",
    "ConcurrencyExtras", "ConcurrencyExtrasTestSupport", "CustomDump", "CustomDumpFoundation", "Dependencies",
    "DependenciesFoundation", "DependenciesTestSupport", "IdentifiedCollections", "IssueReporting",
    "IssueReportingTestSupport", "MacroExpansions", "PromptState", "ReplicatedArchitecture", "ReplicatedFoundation",
    "Senders", "Sharing", "StoreHubMacros",
  ],
  "Generations": [
    "ComposableArchitectureClassic", "ComposableArchitectureTestSupport", "EarlierForms", "EarlierTesting",
    "EffectStreams", "RxComposableArchitecture", "RxComposableTesting",
  ],
  "ImportNames": ["Clocks", "DependenciesMacros", "Perception", "SwiftNavigation", "XCTestDynamicOverlay"],
  "System": [
    "CCurl", "CEpoll", "CGlibc", "CINIH", "CJSON", "CLibmd", "CMicroHTTPD", "CNGHTTP2", "CNcurses", "COpenSSL",
    "CSQLite", "CSystemd", "CWebSockets", "CXXHash", "Configuration", "GRPCConnection", "HTTPClient", "HTTPServer",
    "INIText",
    "JSONParser", "JSONText", "NetworkStream", "ProgramOptions",
    "RandomNumbers", "SQLite", "SchemaNames", "ServiceManager", "ServiceProcess", "Spelling", "Terminal",
    "WebSocketServer",
  ],
  "Tools": [
    "BrowserTerminal", "Gateway", "GatewayTokens", "LoadTest", "Porting", "SchemaBrowser", "SchemaGenerator",
    "Simulation", "StorectlCommands", "TerminalViews", "storectl", "storegate", "storeload", "storeport",
    "storesim", "storeterm",
  ],
]
let testGroups = [
  "Cluster": ["ClusterCoreTests", "ClusterLinkTests", "ClusterLogTests", "EtcdClientTests"],
  "Architecture": [
    "CasePathsTests", "ComposableArchitectureTests", "ComposableTestingTests", "ConcurrencyExtrasTests",
    "CustomDumpTests", "DependenciesTests", "IdentifiedCollectionsTests", "IssueReportingTests", "MacroUseTests",
    "PromptStateTests", "ReplicationTests", "SharingTests", "MacroExpansionsTests", "UnchangedSourcesTests",
  ],
  "Generations": [
    "ComposableArchitectureClassicTests", "RxComposableArchitectureTests", "SeedsTestsClassic", "SeedsTestsHub",
    "SeedsTestsModern", "SeedsTestsRx",
  ],
  "System": [
    "ConfigurationTests", "HTTPClientTests", "JSONTextTests", "ProgramOptionsTests", "ServiceManagerTests",
  ],
  "Tools": [
    "BrowserTerminalTests", "GatewayTests", "LoadTestTests", "PortingTests", "ProgramTests", "SchemaBrowserTests",
    "SchemaGeneratorTests", "SimulationTests", "StorectlCommandsTests", "TerminalViewsTests",
  ],
]
for (folder, groups) in [("Sources", groups), ("Tests", testGroups)] {
  for (group, names) in groups {
    for target in package.targets where names.contains(target.name) {
      target.path = "\(folder)/\(group)/\(target.name)"
    }
  }
}

// STOREHUB_TESTS=WireTests,HubCoreTests leaves out all other test targets, which need most of the time of a build of the
// tests. Tests of documents and of the sources' style read what was built, and expect all of it.
if let named = Context.environment["STOREHUB_TESTS"]?.split(separator: ",") {
  package.targets.removeAll { $0.type == .test && !named.contains(Substring($0.name)) }
}

// STOREHUB_PROGRAMS=storectl,storehubd leaves out all that these programs do not need, so that one build makes all of
// them, as in `make build`; STOREHUB_LIBRARIES=1, which `make docs` and `make api-check` set, all that the libraries do
// not need.
let libraryProducts = package.products.compactMap { $0 as? Product.Library }
if let programs = Context.environment["STOREHUB_PROGRAMS"]?.split(separator: ",").map(String.init) {
  keep(targets: Set(programs), products: Set(programs))
} else if Context.environment["STOREHUB_LIBRARIES"] != nil {
  keep(targets: Set(libraryProducts.flatMap(\.targets)), products: Set(libraryProducts.map(\.name)))
}

/// Removes all other products, and all targets that the given ones do not need.
@MainActor func keep(targets kept: Set<String>, products: Set<String>) {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var (needed, pending) = (kept, Array(kept))
  while let name = pending.popLast() {
    guard let target = targets[name] else { fatalError("there is no target \(name) in Package.swift") }
    for case .byNameItem(let name, _) in target.dependencies where needed.insert(name).inserted { pending.append(name) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { !products.contains($0.name) }
}

// SwiftPM compiles a target again only if the module of a direct dependency has changed, and a module does not change if
// only those below it do. Code that was inlined from a deeper module, and the layout of its types, would then be old
// ones. Each target therefore depends on all that it can reach. STOREHUB_DECLARED=1 leaves the dependencies as they are
// declared above; TidyTests set it, and check that each target imports only those.
let libraries = Dictionary(
  uniqueKeysWithValues: package.targets.filter { $0.type == .regular || $0.type == .system }.map { ($0.name, $0) })
for target in package.targets where Context.environment["STOREHUB_DECLARED"] == nil {
  var reached: Set<String> = []
  var next = [target]
  while let target = next.popLast() {
    for case .byNameItem(let name, _) in target.dependencies where reached.insert(name).inserted {
      if let library = libraries[name] { next.append(library) }
    }
  }
  let declared = target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  let missing = reached.subtracting(declared).filter { libraries[$0] != nil }
  target.dependencies += missing.sorted().map { .byName(name: $0) }
}

// STOREHUB_WHOLE=1, which .ci/run sets, compiles each module as a whole: a build from nothing takes two thirds of the
// processor time, because each file is read and checked once. A build after a change would begin its modules again, so
// that it is not the default. Tests of the names of key paths need symbols that a whole module hides. The module in which
// the tests spend most of their time is optimized, with all its checks: that takes 5 s of compilation and saves 60 of tests.
if Context.environment["STOREHUB_WHOLE"] != nil {
  for target in package.targets
  where ![.system, .plugin].contains(target.type) && target.name != "ComposableTestingTests" {
    let whole = [
      "-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo",
      // Backtraces have lines, and no debugger is used; XCTest finds its tests in the index of their own module.
      "-Xfrontend", "-gline-tables-only", "-index-ignore-clang-modules", "-index-ignore-system-modules",
    ]
    let optimized = target.name == "IdentifiedCollections" ? ["-O", "-assert-config", "Debug"] : []
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.unsafeFlags(whole + optimized, .when(configuration: .debug))]
  }
}
