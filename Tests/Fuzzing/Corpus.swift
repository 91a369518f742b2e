import FoundationEssentials
import TestSupport

/// The stored inputs for a target in `Tests/Corpus`: its seeds, and the findings of fuzzing.
public struct Corpus: Equatable, Sendable {
  /// The inputs that the target generates.
  public var seeds: [[UInt8]]
  /// The findings, stored by hand to prevent regressions.
  public var found: [[UInt8]]

  /// Reads the stored corpus.
  public init(_ target: FuzzTarget) {
    let lines = RepositoryFiles.lines(Self.file(of: target))
    let end = lines.firstIndex(of: Self.border) ?? lines.endIndex
    seeds = Self.inputs(lines[..<end])
    found = Self.inputs(lines[end...])
  }

  /// All inputs.
  public var inputs: [[UInt8]] { seeds + found }

  /// Writes the seeds again, and keeps the findings.
  public static func writeSeeds(of target: FuzzTarget) throws {
    let lines = RepositoryFiles.lines(file(of: target))
    let kept = lines.firstIndex(of: border).map { lines[$0...].joined(separator: "\n") } ?? "\(border)\n"
    let seeds = target.seeds().map { $0.map(digits).joined() }.joined(separator: "\n")
    let text = """
      # Inputs of the fuzz target "\(target.name)", one a line, in hexadecimal.
      # Written by STOREHUB_CORPUS=write swift test --filter FuzzTests, up to the next remark.
      \(seeds)
      \(kept)
      """
    try Data(text.utf8).write(to: URL(filePath: RepositoryFiles.path(file(of: target))))
  }

  /// Writes each input to a separate file, as libFuzzer reads them.
  public func write(to directory: String) throws {
    let directory = URL(filePath: directory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (index, input) in inputs.enumerated() {
      try Data(input).write(to: directory.appending(path: "kept-\(index)"))
    }
  }

  private static let border = "# Found by fuzzing and mended; kept by hand."

  private static func file(of target: FuzzTarget) -> String { "Tests/Corpus/\(target.name).txt" }

  private static func inputs(_ lines: ArraySlice<String>) -> [[UInt8]] {
    lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.compactMap { [UInt8](hexadecimal: $0) }
  }

  private static func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
