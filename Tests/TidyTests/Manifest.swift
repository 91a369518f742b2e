import Foundation

/// The targets of `Package.swift`, as SwiftPM evaluates it, with the dependencies that it declares.
///
/// The option `--explicit-target-dependency-import-check` of SwiftPM accepts an import of all that a target can reach,
/// and so does the compiler.
struct Manifest: Decodable {
  struct Target: Decodable {
    enum Kind: String, Decodable {
      case executable, macro, regular, system, test
    }
    struct Dependency: Decodable {
      var name: String

      init(from decoder: any Decoder) throws {
        // An object with one key, such as `byName`, whose value is the name and a condition.
        let kinds = try decoder.singleValueContainer().decode([String: [String?]].self)
        name = (kinds.values.first?.first ?? nil) ?? ""
      }
    }

    var name: String
    var kind: Kind
    var path: String?
    var dependencies: [Dependency]
    /// The folder of its sources.
    var folder: String { path ?? "\(kind == .test ? "Tests" : "Sources")/\(name)" }
    /// The folder of `Sources` that groups it with others; nil if it stands there itself.
    var group: String? {
      let parts = folder.split(separator: "/")
      return parts.count == 3 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    private enum CodingKeys: String, CodingKey {
      case dependencies, kind = "type", name, path
    }
  }
  struct Product: Decodable {
    var targets: [String]
    /// One key: `executable`, or `library` with its kinds of linking.
    private var type: [String: [String]?]
    var isLibrary: Bool { type.keys.contains("library") }
  }
  struct EvaluationFailed: Error, CustomStringConvertible {
    var description: String
  }

  let targets: [Target]
  private let products: [Product]

  /// The targets of the library products.
  var libraries: Set<String> { products.filter(\.isLibrary).reduce(into: []) { $0.formUnion($1.targets) } }

  /// Evaluates the manifest.
  init() throws { self = try Self.evaluated.get() }

  private static let evaluated = Result { try evaluate() }

  private static func evaluate() throws -> Manifest {
    // The build folder may be locked by the process that runs these tests.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("storehub-manifest-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "-u", "STOREHUB_FUZZ", "-u", "STOREHUB_LIBRARIES", "-u", "STOREHUB_PROGRAMS", "-u", "STOREHUB_TESTS",
      "STOREHUB_DECLARED=1",
      "swift", "package", "--package-path", Repository.root, "--scratch-path", folder.path, "dump-package",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let json = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw EvaluationFailed(description: "swift package dump-package failed in \(Repository.root): \(complaint)")
    }
    return try JSONDecoder().decode(Manifest.self, from: json)
  }
}
