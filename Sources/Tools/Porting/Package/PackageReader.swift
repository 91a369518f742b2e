package import Foundation

/// Reads a package from its directory. Symbolic links are not followed.
package struct PackageReader {
  /// The reason why a directory cannot be ported.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The part of `swift package dump-package` that the tool needs.
  private struct Dump: Decodable {
    struct Target: Decodable {
      struct Setting: Decodable {
        var kind: [String: [String: String]]?
        private enum CodingKeys: CodingKey { case kind }

        init(from decoder: any Decoder) throws {
          // Other settings have values of other forms.
          kind = try? decoder.container(keyedBy: CodingKeys.self).decode([String: [String: String]].self, forKey: .kind)
        }
      }
      struct Dependency: Decodable {
        var product: [String?]?
        private enum CodingKeys: CodingKey { case product }

        init(from decoder: any Decoder) throws {
          // The last element is a condition, an object.
          let container = try decoder.container(keyedBy: CodingKeys.self)
          guard container.contains(.product) else { return }
          var list = try container.nestedUnkeyedContainer(forKey: .product)
          product = [try list.decode(String.self)]
        }
      }

      var name: String
      var type: String
      var path: String?
      var exclude: [String]?
      var sources: [String]?
      var dependencies: [Dependency]
      var settings: [Setting]
    }
    var targets: [Target]
  }

  private let directory: URL
  private var findings: [Finding] = []

  private init(_ directory: URL) {
    self.directory = directory
  }

  /// Reads the package in a directory, with the `swift` on the PATH for its manifest.
  package static func read(_ directory: URL) throws(Failure) -> PackageModel {
    guard FileManager.default.fileExists(atPath: directory.appending(path: "Package.swift").path) else {
      throw Failure(description: "\(directory.path) is not a package: it has no Package.swift")
    }
    return try read(directory, dump: dump(directory))
  }

  /// Reads the package in a directory whose manifest is known.
  static func read(_ directory: URL, dump: Data) throws(Failure) -> PackageModel {
    var reader = PackageReader(directory)
    let targets: [Dump.Target]
    do {
      targets = try JSONDecoder().decode(Dump.self, from: dump).targets
    } catch {
      throw Failure(description: "'swift package dump-package' has printed what the tool does not understand: \(error)")
    }
    var package = PackageModel()
    for target in targets where target.type == "regular" || target.type == "executable" {
      package.targets.append(reader.target(target, isOnly: targets.count { $0.type == target.type } == 1))
    }
    package.manifest = reader.file("Package.swift")
    package.findings = reader.findings
    return package
  }

  private static func dump(_ directory: URL) throws(Failure) -> Data {
    let (process, output) = (Process(), Pipe())
    // A file, because nobody reads a second pipe while this one is read.
    let errors = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())")
    defer { try? FileManager.default.removeItem(at: errors) }
    do {
      try Data().write(to: errors)
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["swift", "package", "--package-path", directory.path, "dump-package"]
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    } catch {
      throw Failure(description: "'swift package' cannot be run: \(error)")
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Failure(description: "the manifest of \(directory.path) cannot be read:\n\(text)")
    }
    return data
  }

  private mutating func target(_ target: Dump.Target, isOnly: Bool) -> PackageModel.Target {
    var result = PackageModel.Target(name: target.name, kind: target.type == "regular" ? .library : .executable)
    result.products = Set(target.dependencies.compactMap { $0.product?.first ?? nil })
    result.importsAreInternal = target.settings.contains {
      $0.kind?["enableUpcomingFeature"]?["_0"] == "InternalImportsByDefault"
    }
    let folder = target.path ?? standardFolder(of: target.name, isOnly: isOnly)
    let excluded = (target.exclude ?? []).map { Self.joined(folder, $0) }
    let included = (target.sources ?? [""]).map { Self.joined(folder, $0) }
    for place in included { collect(place, except: excluded, into: &result.files) }
    return result
  }

  /// The folder of a target without a `path`, as SwiftPM finds it.
  private func standardFolder(of name: String, isOnly: Bool) -> String {
    for folder in ["Sources", "Source", "src", "srcs"] {
      if isDirectory("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return isOnly && isDirectory("Sources") ? "Sources" : "Sources/\(name)"
  }

  private static func joined(_ folder: String, _ path: String) -> String {
    let parts = [folder, path].filter { !$0.isEmpty && $0 != "." }
    return parts.joined(separator: "/")
  }

  private func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: directory.appending(path: path).path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private mutating func collect(_ path: String, except excluded: [String], into files: inout [SourceFile]) {
    guard !excluded.contains(path) else { return }
    let place = directory.appending(path: path).path
    // Not that of the file to which a link leads.
    let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
    switch type {
    case .typeDirectory?:
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: place) else {
        return findings.append(Finding(.left, path, "the directory cannot be read"))
      }
      for name in names.sorted() where !name.hasPrefix(".") {
        collect(Self.joined(path, name), except: excluded, into: &files)
      }
    case .typeSymbolicLink?:
      findings.append(Finding(.left, path, "a symbolic link is not followed; change the file to which it leads"))
    case .typeRegular? where path.hasSuffix(".swift"):
      if let file = file(path) { files.append(file) }
    default: break
    }
  }

  private mutating func file(_ path: String) -> SourceFile? {
    guard let data = FileManager.default.contents(atPath: directory.appending(path: path).path) else {
      findings.append(Finding(.left, path, "the file cannot be read"))
      return nil
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      findings.append(Finding(.left, path, "the file is not UTF-8, so that it was not read"))
      return nil
    }
    return SourceFile(path: path, text: text)
  }
}
