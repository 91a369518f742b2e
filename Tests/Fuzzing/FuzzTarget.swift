/// Something that takes bytes from whoever sends them, and what it promises about them.
///
/// `FuzzTests` runs each target over the kept corpus and mutations of it; the program `storefuzz`, which only
/// `make fuzz` builds, gives it to libFuzzer.
public struct FuzzTarget: Sendable {
  /// How the target is called on the command line; its corpus is `Tests/Corpus/NAME.txt`.
  public let name: String
  /// Runs one input; throws what promise was broken. A trap is a broken promise too.
  public let run: @Sendable ([UInt8]) throws -> Void
  /// Inputs to begin with, which the kept corpus holds.
  public let seeds: @Sendable () -> [[UInt8]]

  /// Every target. The canaries break on purpose, and show that the harness notices.
  public static let all: [FuzzTarget] = [
    .canary, .memoryCanary, .frames, .cbor, .messages, .delta, .schema, .hub, .replica,
  ]

  /// Whether the target is there to be found broken.
  public var isCanary: Bool { name.hasPrefix("canary") }

  /// The target of this name.
  public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A promise that an input has broken.
public struct BrokenPromise: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Breaks the promise unless it holds.
func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws {
  if !holds { throw BrokenPromise(description()) }
}
