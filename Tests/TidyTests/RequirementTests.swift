import Foundation
import Testing

/// `scripts/require`, which says what a target of the Makefile needs before anything is built.
@Suite struct RequirementTests {
  @Test func eachTargetChecksItsNeedsFirst() throws {
    let rules = try Repository.lines("Makefile").compactMap { line -> (target: String, first: String?)? in
      guard let match = line.firstMatch(of: #/^([a-z-]+):(.*)## /#) else { return nil }
      return (String(match.1), match.2.split(separator: " ").first.map(String.init))
    }.filter { !["clean", "help", "setup"].contains($0.target) }
    #expect(rules.count > 20)
    for rule in rules { #expect(rule.first == "need-\(rule.target)", "make \(rule.target) builds before it checks") }
    let table = try Machine().require("--list").output.split(separator: "\n").compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    #expect(table.sorted() == rules.map(\.target).sorted())
  }

  /// A user must not search for `make deb` among the tools of those who work on StoreHub.
  @Test func theHelpHasTheTargetsOfUsersFirst() throws {
    let lines = try Repository.lines("Makefile")
    let phony = try #require(lines.first { $0.hasPrefix(".PHONY: ") }).split(separator: " ").dropFirst()
    var groups: [(heading: String, targets: [String])] = []
    for line in lines {
      if line.hasPrefix("##@ ") { groups.append((String(line.dropFirst(4)), [])) }
      guard let match = line.firstMatch(of: #/^([a-z-]+):.*## /#) else { continue }
      try #require(!groups.isEmpty, "make \(match.1) has no heading")
      groups[groups.count - 1].targets.append(String(match.1))
    }
    #expect(groups.map(\.heading) == ["Try and use", "Check a change", "Search for failures", "Measure"])
    #expect(
      groups.first?.targets == ["run", "build", "static", "install", "deb", "docs", "setup", "clean", "help"])
    let listed = groups.flatMap(\.targets)
    #expect(listed.sorted() == phony.map(String.init).filter { $0 != "install-files" }.sorted())
    // What make prints comes from the same lines.
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/make")
    make.arguments = ["--no-print-directory", "-C", "\(Repository.root)", "help"]
    let output = Pipe()
    make.standardOutput = output
    try make.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    make.waitUntilExit()
    let printed = text.split(separator: "\n").map { String($0.prefix { $0 != "(" }) }
    #expect(printed.first == "Try and use:")
    #expect(printed.filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") }.count == groups.count)
    let targets = printed.compactMap { $0.firstMatch(of: #/^  make ([a-z-]+) /#).map { String($0.1) } }
    #expect(targets == listed)
  }

  @Test func allThatIsMissingIsNamedAtOnce() throws {
    let machine = try Machine()
    try machine.add("dpkg-query", "exit 1")
    var found = try machine.require("deb")
    #expect(found.status == 1)
    #expect(
      found.errors == """
        make deb needs what is missing here: debhelper, dpkg-dev, fakeroot, lintian
        On Debian: apt-get install debhelper dpkg-dev fakeroot lintian

        """)
    try machine.add("dpkg-query", "[ \"$4\" = lintian ] || echo installed")
    found = try machine.require("deb")
    #expect(found.errors.hasSuffix("missing here: lintian\nOn Debian: apt-get install lintian\n"), "\(found)")
  }

  @Test func aProgramIsNamedWithItsPackage() throws {
    let machine = try Machine()
    try machine.add("cc", "")
    let found = try machine.require("bench-smoke")
    #expect(found.status == 1)
    #expect(
      found.errors == """
        make bench-smoke needs what is missing here: taskset, valgrind
        On Debian: apt-get install util-linux valgrind

        """)
  }

  @Test func theSuperuserIsAskedFor() throws {
    let machine = try Machine()
    for program in ["unshare", "nsenter"] { try machine.add(program, "") }
    try machine.add("id", "echo 1000")
    let found = try machine.require("system-test")
    #expect(found.status == 1 && found.errors.contains("root (try sudo)"), "\(found)")
  }

  /// Without Redis there is a comparison with the others.
  @Test func whatIsOptionalIsOnlyNoted() throws {
    let machine = try Machine()
    for program in ["cc", "taskset"] { try machine.add(program, "") }
    let found = try machine.require("bench")
    #expect(found.output.contains("make bench leaves something out without redis-server, nats-server."), "\(found)")
    // Then the toolchain is looked for, which is not there either.
    #expect(found.status == 1 && found.errors.hasPrefix("StoreHub needs Swift"), "\(found)")
  }

  @Test func aModuleOfPythonIsNamed() throws {
    let machine = try Machine()
    try machine.add("python3", "exit 1")
    let found = try machine.require("golden-check")
    #expect(
      found.errors == "make golden-check needs what is missing here: Python's ensurepip\n"
        + "On Debian: apt-get install python3-venv\n", "\(found)")
  }

  @Test func anUnknownTargetIsRefused() throws {
    #expect(try Machine().require("everything").status == 2)
  }
}

/// A machine with nothing but the tools of the script itself, and what a test adds.
private final class Machine {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  private let folder = NSTemporaryDirectory() + "storehub-require-\(UUID().uuidString.prefix(8))"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for tool in ["bash", "dirname", "grep", "head", "id", "sed", "sort"] {
      let path = try #require(
        ["/usr/bin/", "/bin/"].map { $0 + tool }.first { FileManager.default.isExecutableFile(atPath: $0) })
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(tool)", withDestinationPath: path)
    }
  }

  /// Adds a program that is a script.
  func add(_ name: String, _ script: String) throws {
    try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    try "#!/bin/bash\n\(script)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
  }

  func require(_ target: String) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["\(Repository.root)/scripts/require", target]
    process.environment = ["PATH": folder]
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: text, errors: complaint)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
