import Foundation
import TestSupport
import Testing

/// Checks the files in systemd/ with systemd's own tools.
@Suite(.serialized) struct UnitFileTests {
  private static let root = RepositoryFiles.root
  private static let analyzer = "/usr/bin/systemd-analyze"
  private static var isAnalyzerInstalled: Bool { FileManager.default.isExecutableFile(atPath: analyzer) }
  private static let skipped: Comment = "skipped: systemd-analyze is not installed (Debian package systemd)"

  /// Runs systemd-analyze on copies of the units whose program exists.
  ///
  /// - Parameter dropIn: The name of a file of settings that follow those of each unit.
  private func analyze(
    _ arguments: [String], _ units: [String], dropIn: String? = nil
  ) throws -> (status: Int32, text: String) {
    let directory = NSTemporaryDirectory() + "units-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let folder = Self.root.appendingPathComponent("systemd")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".service") || name.hasSuffix(".socket") {
      var text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      if let dropIn, name.hasSuffix(".service") {
        text += try String(contentsOf: folder.appendingPathComponent(dropIn), encoding: .utf8)
      }
      try text.replacing(/ExecStart=\/usr\/bin\/(storehubd|storegate)/, with: "ExecStart=/bin/true")
        .write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.analyzer)
    process.arguments = arguments + units.map { "\(directory)/\($0)" }
    _ = FileManager.default.createFile(atPath: directory + "/output", contents: nil)
    let output = FileHandle(forWritingAtPath: directory + "/output")
    (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, output)
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: directory + "/output", encoding: .utf8))
  }

  /// The threshold is in tenths: 5 is 0.5. The best unit of another daemon that we found had 1.2.
  @Test(
    .enabled(if: isAnalyzerInstalled, skipped),
    arguments: ["storehub.service", "storehub@.service", "storegate.service"])
  func theServiceExposesLittle(unit: String) throws {
    let outcome = try analyze(["security", "--offline=true", "--no-pager", "--threshold=5"], [unit])
    #expect(
      outcome.status == 0, "\(outcome.text.split(separator: "\n").filter { !$0.contains("✓") }.joined(separator: "\n"))"
    )
    #expect(outcome.text.contains("SAFE"))
  }

  /// A hub of a cluster reaches the other machines. Of its 1.2, the network accounts for 0.8.
  @Test(.enabled(if: isAnalyzerInstalled, skipped)) func theServiceOfAClusterExposesLittle() throws {
    let outcome = try analyze(
      ["security", "--offline=true", "--no-pager", "--threshold=12"], ["storehub.service"],
      dropIn: "examples/10-cluster.conf")
    #expect(outcome.status == 0, "\(outcome.text.split(separator: "\n").suffix(1))")
  }

  @Test(.enabled(if: isAnalyzerInstalled, skipped)) func systemdFindsNothingWrong() throws {
    let units = [
      "storehub.service", "storehub.socket", "storehub@kitchen.service", "storehub@kitchen.socket",
      "storehub-metrics.socket", "storegate.service", "storegate.socket",
    ]
    let outcome = try analyze(["verify", "--man=no"], units)
    #expect(outcome.status == 0)
    #expect(outcome.text.isEmpty)
  }

  /// Within a user namespace every client would appear to be the user nobody.
  @Test func theServiceSeesWhoConnects() throws {
    for name in ["storehub.service", "storehub@.service", "user/storehub.service", "storegate.service"] {
      let text = try String(contentsOf: Self.root.appendingPathComponent("systemd/\(name)"), encoding: .utf8)
      #expect(!text.contains("\nPrivateUsers=yes"))
    }
  }

  /// An operator's file would otherwise be ignored without a word.
  @Test(arguments: [
    ("storehub.service", "hub"), ("storehub@.service", "%i"), ("user/storehub.service", "hub"),
    ("examples/10-network.conf", "hub"),
  ])
  func theServiceReadsTheConfigurationThatTheManualNames(file: String, name: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("systemd/\(file)"), encoding: .utf8)
    let start = try #require(text.split(separator: "\n").last { $0.hasPrefix("ExecStart=") })
    #expect(start.contains(" --config -%E/storehub/\(name).conf"))
  }

  /// At boot, a user of the configuration may not exist before its source, such as sssd, runs.
  @Test(arguments: ["storehub.service", "storehub@.service"]) func theServiceStartsAfterTheUserDatabase(file: String)
    throws
  {
    let text = try String(contentsOf: Self.root.appendingPathComponent("systemd/\(file)"), encoding: .utf8)
    #expect(text.split(separator: "\n").contains { $0.hasPrefix("After=") && $0.contains(" nss-user-lookup.target") })
  }

  /// The two variants differ only in their names.
  @Test(arguments: ["service", "socket"]) func theTemplateIsTheUnit(kind: String) throws {
    let folder = Self.root.appendingPathComponent("systemd")
    let unit = try String(contentsOf: folder.appendingPathComponent("storehub.\(kind)"), encoding: .utf8)
    let template = try String(contentsOf: folder.appendingPathComponent("storehub@.\(kind)"), encoding: .utf8)
    #expect(
      template.replacingOccurrences(of: "storehub@%i.socket", with: "storehub.socket")
        .replacingOccurrences(of: "storehub/%i.", with: "storehub/hub.")
        .replacingOccurrences(of: "storehub-%i", with: "storehub").replacingOccurrences(
          of: "StoreHub %I", with: "StoreHub")
        == unit)
  }
}
