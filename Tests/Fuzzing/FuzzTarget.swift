/// Code that takes bytes from an untrusted peer, with its guarantee for any bytes.
///
/// `FuzzTests` runs each target on the stored corpus and its mutations; the program `storefuzz`, which only `make fuzz`
/// builds, runs it with libFuzzer.
public struct FuzzTarget: Sendable {
  /// The name on the command line; the corpus is `Tests/Corpus/NAME.txt`.
  public let name: String
  /// Runs one input, and throws if it violates the guarantee. A trap violates it too.
  public let run: @Sendable ([UInt8]) throws -> Void
  /// The initial inputs, which the stored corpus contains.
  public let seeds: @Sendable () -> [[UInt8]]

  /// All targets. The canaries fail on purpose, to prove that the harness detects failures.
  public static let all: [FuzzTarget] = [
    .canary, .memoryCanary, .frames, .cbor, .messages, .delta, .merge, .schema, .hub, .replica, .clusterEntry,
    .clusterLink, .etcdMessage, .grpc, .browser, .terminal, .terminalOfAnyHub,
  ]

  /// True if the target fails on purpose.
  public var isCanary: Bool { name.hasPrefix("canary") }

  /// Returns the target with a name.
  public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A guarantee that an input has violated.
public struct BrokenPromise: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless the guarantee holds.
func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws {
  if !holds { throw BrokenPromise(description()) }
}
