import FoundationEssentials

/// The inputs that are kept for a target in `Tests/Corpus`: its seeds, and what fuzzing has found.
public struct Corpus: Equatable, Sendable {
  /// As the target makes them.
  public var seeds: [[UInt8]]
  /// Kept by hand, so that what was mended stays so.
  public var found: [[UInt8]]

  /// Reads the kept corpus.
  public init(_ target: FuzzTarget) {
    let lines = RepositoryFiles.lines(Self.file(of: target))
    let end = lines.firstIndex(of: Self.border) ?? lines.endIndex
    seeds = Self.inputs(lines[..<end])
    found = Self.inputs(lines[end...])
  }

  /// All inputs.
  public var inputs: [[UInt8]] { seeds + found }

  /// Writes the seeds anew, and leaves what was found as it is.
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

  /// Writes each input to a file of its own, as libFuzzer reads them.
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
