/// True if this process runs tests: `swift test` runs bundles named `….xctest`, or its own helper that loads them.
public let isTesting: Bool = CommandLine.arguments.contains {
  $0.hasSuffix(".xctest") || $0 == "--testing-library" || $0.hasSuffix("swiftpm-testing-helper")
}
