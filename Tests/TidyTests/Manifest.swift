/// The targets of `Package.swift`, read from its text: evaluating the manifest would need SwiftPM's lock.
struct Manifest {
  struct Target {
    var kind: String
    var name: String
    var dependencies: Set<String>
  }

  let targets: [String: Target]
  /// The targets of the library products.
  let libraries: Set<String>

  init() throws {
    var targets: [String: Target] = [:]
    let text = try Repository.text("Package.swift")
    for kind in ["target", "executableTarget", "macro", "systemLibrary", "testTarget"] {
      for piece in text.split(separator: ".\(kind)(").dropFirst() where text.contains(".\(kind)(") {
        let call = Self.arguments(piece)
        guard let name = Self.strings(after: "name:", in: call, closedBy: ",").first else { continue }
        let dependencies = Self.strings(after: "dependencies: [", in: call, closedBy: "]")
        targets[name] = Target(kind: kind, name: name, dependencies: Set(dependencies))
      }
    }
    self.targets = targets
    libraries = text.split(separator: ".library(").dropFirst().reduce(into: []) {
      $0.formUnion(Self.strings(after: "targets: [", in: Self.arguments($1), closedBy: "]"))
    }
  }

  /// Returns the text up to the parenthesis that closes a call.
  private static func arguments(_ text: Substring) -> Substring {
    var depth = 1
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return text
  }

  private static func strings(after label: String, in call: Substring, closedBy end: Character) -> [String] {
    guard let start = call.firstRange(of: label)?.upperBound else { return [] }
    let rest = call[start...]
    let list = rest[..<(rest.firstIndex(of: end) ?? rest.endIndex)]
    return list.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset.isMultiple(of: 2) ? nil : String($0.element) }
  }
}
