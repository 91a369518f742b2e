import Foundation
import TestSupport

/// The compiler that built these tests, for single programs that use the built modules.
struct Compiler {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static let root = RepositoryFiles.root.path
  private static let options: Set<String> = ["name", "needs", "module", "imports", "given", "skip"]

  /// The folder of the test bundle with the built modules and macros.
  private static var products: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
  }

  /// The Markdown files whose code is compiled: the README, the documents, and the catalogs of the API reference.
  static func pages() throws -> [String] {
    let docs = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/docs").filter { $0.hasSuffix(".md") }
    let catalogs = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources").filter {
      $0.hasSuffix(".md") && $0.contains(".docc/")
    }
    return ["README.md"] + docs.sorted().map { "docs/\($0)" } + catalogs.sorted().map { "Sources/\($0)" }
  }

  static func blocks() throws -> [CodeBlock] { try found.get() }

  // Each block is checked by a test case of its own.
  private static let found = Result {
    try pages().flatMap { CodeBlock.blocks(of: try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8), page: $0) }
  }

  /// Compiles a block up to the diagnostics of flow analysis, such as use after consume, and generates no code.
  /// - Parameter settings: Options of the compiler for all files.
  static func check(_ block: CodeBlock, among blocks: [CodeBlock], settings: [String] = []) throws {
    for option in block.options.keys where !options.contains(option) {
      throw Failure(description: "\(block.testDescription): no such option: \(option)")
    }
    let folder = NSTemporaryDirectory() + "storehub-page-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    var files = ["\(folder)/main.swift"]
    try block.source.write(toFile: files[0], atomically: false, encoding: .utf8)
    for name in block.needs {
      guard let other = blocks.first(where: { $0.page == block.page && $0.name == name }) else {
        throw Failure(description: "\(block.testDescription) needs \(name), and no block of the page has that name")
      }
      files.append("\(folder)/\(name).swift")
      try other.source.write(toFile: files[files.count - 1], atomically: false, encoding: .utf8)
    }
    // A program with a type marked @main has no file with statements.
    let isLibrary = block.text.contains("@main")
    let errors: String
    if let module = block.options["module"] {
      let path = "\(folder)/\(module).swiftmodule"
      let failure = try run(
        settings + ["-emit-module", "-o", path, "-module-name", module] + files.dropFirst(), asLibrary: true)
      errors =
        failure.isEmpty ? try compile(settings + [files[0]], asLibrary: isLibrary, modules: folder) : failure
    } else {
      errors = try compile(settings + files, asLibrary: isLibrary)
    }
    if !errors.isEmpty { throw Failure(description: errors) }
  }

  private static func compile(_ files: [String], asLibrary: Bool, modules folder: String? = nil) throws -> String {
    // Before the built modules, of which one may have the same name.
    let modules = folder.map { ["-I", $0] } ?? []
    return try run(modules + ["-emit-sil", "-o", "/dev/null", "-module-name", "Page"] + files, asLibrary: asLibrary)
  }

  /// Returns the compiler's errors.
  private static func run(_ task: [String], asLibrary: Bool) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    var arguments = ["swiftc", "-frontend", "-swift-version", "6"] + task
    arguments += ["-warnings-as-errors", "-I", "\(products)/Modules"] + (try librariesInC.get())
    arguments += ["-load-plugin-executable", "\(products)/StoreHubMacros-tool#StoreHubMacros"]
    if asLibrary { arguments.append("-parse-as-library") }
    process.arguments = arguments
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : "The code on the page does not compile:\n\(text)"
  }

  /// The options with which the compiler finds the C libraries.
  private static let librariesInC = Result {
    let libraries = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources")
      .filter { $0.hasSuffix("/module.modulemap") }.map { $0.dropLast("/module.modulemap".count) }
    // SwiftPM writes the module maps of the package's C targets beside their objects.
    let maps = try FileManager.default.contentsOfDirectory(atPath: products).filter {
      $0.hasSuffix(".build") && !$0.hasSuffix("-tool.build")
        && FileManager.default.fileExists(atPath: "\(products)/\($0)/module.modulemap")
    }
    return libraries.flatMap { ["-I", "\(root)/Sources/\($0)"] }
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\(products)/\($0)/module.modulemap"] }
  }
}
