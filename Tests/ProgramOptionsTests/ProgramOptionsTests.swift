import ProgramOptions
import Testing

@Suite struct ProgramOptionsTests {
  private let options = ProgramOptions(
    program: "probe", purpose: "Probes things.",
    options: [
      .init("socket", short: "s", argument: "PATH", "where it is"),
      .init("depth", short: "d", argument: "N", "how deep"),
      .init("json", "for programs"),
    ])

  private func complaint(_ arguments: String...) -> String? {
    do throws(UsageError) { _ = try options.parse(arguments) } catch { return error.description }
    return nil
  }

  @Test func optionsAreReadInEveryForm() throws {
    for arguments in [["--socket", "/x", "-d", "3"], ["--socket=/x", "-d3"], ["-s", "/x", "--dep", "3"]] {
      let parsed = try options.parse(arguments)
      #expect(parsed.string("socket") == "/x")
      #expect(try parsed.integer("depth", in: 1...10, default: 1) == 3)
      #expect(!parsed.flag("json"))
    }
    let none = try options.parse([])
    #expect(none.string("socket") == nil)
    #expect(try none.integer("depth", in: 1...10, default: 7) == 7)
    #expect(try options.parse(["--json"]).flag("json"))
  }

  @Test func whatIsWrongIsSaid() {
    #expect(complaint("--wrong")?.contains("--wrong") == true)
    #expect(complaint("--socket") == "--socket needs a value")
    #expect(complaint("-x")?.contains("-x") == true)
    #expect(complaint("--json=yes")?.contains("--json") == true)
    #expect(complaint("more") == "unexpected argument “more”")
    #expect(complaint("--json", "more") == "unexpected argument “more”")
  }

  @Test func anEmptySocketPathIsRefused() throws {
    #expect(try options.parse(["-s", "/x"]).socketPath("socket", default: "/y") == "/x")
    #expect(try options.parse([]).socketPath("socket", default: "/y") == "/y")
    let parsed = try options.parse(["--socket="])
    #expect(throws: UsageError.self) { try parsed.socketPath("socket", default: "/y") }
  }

  @Test(arguments: ["0", "11", "x", "", "3.5", "99999999999999999999"])
  func aNumberIsRefusedWithItsRange(text: String) throws {
    let parsed = try options.parse(["--depth", text])
    #expect(throws: UsageError("--depth needs a whole number from 1 to 10, not “\(text)”")) {
      try parsed.integer("depth", in: 1...10, default: 1)
    }
  }

  @Test func timesHaveUnits() throws {
    let expected: [(String, Duration?)] = [
      ("500ms", .milliseconds(500)), ("5s", .seconds(5)), ("2m", .seconds(120)), ("5", nil), ("s", nil), ("-1s", nil),
    ]
    for (text, duration) in expected {
      let parsed = try options.parse(["--depth=\(text)"])
      #expect((try? parsed.duration("depth", default: .zero)) == duration, "\(text)")
    }
  }

  @Test func permissionsAreOctal() throws {
    #expect(try options.parse(["-d", "660"]).permissions("depth", default: 0) == 0o660)
    for text in ["8", "1777", "rw"] {
      let parsed = try options.parse(["-d", text])
      #expect(throws: UsageError.self) { try parsed.permissions("depth", default: 0) }
    }
  }

  @Test func wordsAreChosenFrom() throws {
    let choices = [("info", 1), ("debug", 2)]
    #expect(try options.parse(["-d", "debug"]).choice("depth", of: choices, default: 1) == 2)
    let parsed = try options.parse(["-d", "loud"])
    #expect(throws: UsageError("--depth must be one of info, debug, not “loud”")) {
      try parsed.choice("depth", of: choices, default: 1)
    }
  }

  @Test func theHelpListsEveryOptionInEightyColumns() {
    let help = ProgramOptions(
      program: "probe", purpose: "Probes things.",
      options: [.init("long", argument: "X", String(repeating: "word ", count: 40))]
    ).helpText
    #expect(help.hasPrefix("Probes things.\n\nusage: probe [options]\n"))
    for name in ["--long X", "--help", "--version"] { #expect(help.contains(name)) }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
