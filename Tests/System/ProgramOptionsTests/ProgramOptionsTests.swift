import Foundation
import Testing

@testable import ProgramOptions

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
    #expect(complaint("more") == "unexpected argument 'more'")
    #expect(complaint("--json", "more") == "unexpected argument 'more'")
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
    #expect(throws: UsageError("--depth needs a whole number from 1 to 10, not '\(text)'")) {
      try parsed.integer("depth", in: 1...10, default: 1)
    }
  }

  @Test func timesHaveUnits() throws {
    let expected: [(String, Duration?)] = [
      ("500ms", .milliseconds(500)), ("5s", .seconds(5)), ("2m", .seconds(120)), ("5", nil), ("s", nil), ("-1s", nil),
      ("0.5s", .milliseconds(500)), ("1.25m", .seconds(75)), ("0.3s", .milliseconds(300)),
      ("0.000000001ms", Duration(secondsComponent: 0, attosecondsComponent: 1_000_000)),
      ("2147483647.999999999s", .nanoseconds(2_147_483_647_999_999_999)), ("-0.5s", nil), (".5s", nil), ("1.s", nil),
      ("1.-5s", nil), ("1.5.5s", nil), ("1.0000000001s", nil), ("1e3s", nil), ("50us", .microseconds(50)),
      ("1.5us", .nanoseconds(1500)), ("50µs", nil), ("50us ", nil),
    ]
    for (text, duration) in expected {
      let parsed = try options.parse(["--depth=\(text)"])
      #expect((try? parsed.duration("depth", default: .zero)) == duration, "\(text)")
    }
  }

  @Test func aBusyPollIsShortOrNone() throws {
    let options = ProgramOptions(
      program: "p", purpose: "Tests.", options: [.init("busy-poll", argument: "TIME", "poll")])
    #expect(try options.parse([]).busyPoll() == nil)
    for (text, time, printed) in [
      ("50us", Duration.microseconds(50), "50us"), ("0", .zero, "0"), ("0s", .zero, "0"),
      ("10ms", .milliseconds(10), "10ms"), ("0.01s", .milliseconds(10), "10ms"),
      ("1.5us", .nanoseconds(1500), "1.500us"),
      ("1500us", .microseconds(1500), "1500us"),
    ] {
      let found = try #require(try options.parse(["--busy-poll=\(text)"]).busyPoll())
      #expect(found == time && found.busyPollText == printed && Duration(busyPoll: printed) == time)
    }
    for text in ["50", "-1us", "10.1ms", "1s", "often", ""] {
      let parsed = try options.parse(["--busy-poll=\(text)"])
      let reason = "--busy-poll needs 0, or a time up to 10ms with its unit, such as 50us, not '\(text)'"
      #expect(throws: UsageError(reason)) { try parsed.busyPoll() }
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
    #expect(throws: UsageError("--depth must be one of info, debug, not 'loud'")) {
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

  // MARK: Commands

  private let tool = ProgramOptions(
    program: "tool", purpose: "Does things.",
    options: [
      .init("socket", short: "s", argument: "PATH", "where it is", default: "/x", value: .file),
      .init("color", argument: "WHEN", "when", value: .words(["auto", "never"])),
    ],
    commands: [
      .init(
        "show", "show it", arguments: [.init("PATH", .atMostOnce, value: .path)],
        options: [.init("all", short: "a", "all"), .init("depth", argument: "N", "how deep", if: .option("all"))]),
      .init("send", "send it", arguments: [.init("ACTION", value: .action), .init("VALUE", .anyNumber)]),
      .init(
        "file", "work on files", arguments: [.init("WORD", value: .words(["read", "write"]))],
        options: [.init("mode", argument: "MODE", "the permissions", if: .argument("write"))]),
    ],
    sections: [.init("FILES", [.text("It's .dotted."), .code(["a-b"])])])

  private func refusal(_ arguments: String...) -> String? { refusal(arguments) }

  private func refusal(_ arguments: [String]) -> String? {
    do throws(UsageError) { _ = try tool.parse(arguments) } catch { return error.description }
    return nil
  }

  @Test func anOptionCanBeForSeveralWords() throws {
    let tool = ProgramOptions(
      program: "tool", purpose: "Works on logs.", options: [],
      commands: [
        .init(
          "log", "work on logs", arguments: [.init("WORD", value: .words(["read", "mend", "spread"]))],
          options: [.init("yes", "do it", if: .arguments(["mend", "spread"]))])
      ])
    for word in ["mend", "spread"] { #expect(try tool.parse(["log", word, "--yes"]).flag("yes")) }
    let error = #expect(throws: UsageError.self) { try tool.parse(["log", "read", "--yes"]) }
    #expect(error?.description == "--yes is for `log mend` and `log spread`, not for `log read`")
  }

  @Test func anOptionWithoutEffectIsRefused() throws {
    #expect(refusal("show", "--depth", "3") == "--depth has no effect without --all")
    #expect(try tool.parse(["show", "--depth", "3", "-a"]).string("depth") == "3")
    #expect(refusal("file", "--mode", "6", "read") == "--mode is for `file write`, not for `file read`")
    #expect(try tool.parse(["file", "write", "--mode", "6"]).string("mode") == "6")
    // Another error is more important, or help is requested.
    #expect(refusal("file", "--mode", "6") == nil)
    #expect(refusal("file", "read", "--mode", "6", "--help") == nil)
    let page = tool.manualPage
    #expect(page.contains("With \\-\\-all: how deep.") && page.contains("write: the permissions."))
  }

  @Test func anOptionWithoutEffectIsRefusedWithoutCommands() throws {
    let probe = ProgramOptions(
      program: "probe", purpose: "Probes things.",
      options: [
        .init("seed", argument: "S", "run it"), .init("trace", "print it", if: .option("seed")),
        .init("jobs", argument: "N", "how many"),
      ])
    #expect(throws: UsageError("--trace has no effect without --seed")) { try probe.parse(["--trace"]) }
    #expect(try probe.parse(["--trace", "--seed", "3"]).flag("trace"))
    #expect(try probe.parse(["--trace", "--help"]).flag("help"))
    #expect(probe.helpText.contains("with --seed: print it"))
    let alternatives = [["seed", "jobs"], ["trace", "jobs"]]
    #expect(throws: UsageError("--seed and --jobs exclude each other")) {
      try probe.parse(["--jobs", "2", "--seed", "3"]).checkAlternatives(alternatives)
    }
    try probe.parse(["--trace", "--seed", "3"]).checkAlternatives(alternatives)
  }

  @Test func optionsMayStandOnBothSidesOfACommand() throws {
    for words in [
      ["-s", "/y", "show", "p", "-a"], ["show", "-a", "p", "--socket=/y"], ["show", "--all", "-s/y", "--", "p"],
    ] {
      let parsed = try tool.parse(words)
      #expect(parsed.command == "show" && parsed.arguments == ["p"])
      #expect(parsed.string("socket") == "/y" && parsed.flag("all"))
    }
    #expect(try tool.parse(["send", "x", "-5", "-.5", "--", "-a"]).arguments == ["x", "-5", "-.5", "-a"])
    #expect(try tool.parse(["--color", "-5", "show"]).string("color") == "-5")
    #expect(try tool.parse(["help", "send"]).command == "send")
    #expect(try tool.parse(["show", "--help=man"]).string("help") == "man")
  }

  @Test func wrongCommandsAndOptionsAreNamed() {
    #expect(refusal("shwo") == "there is no command 'shwo'; did you mean 'show'?")
    #expect(refusal("help", "shwo") == "there is no command 'shwo'; did you mean 'show'?")
    // An option of another command.
    #expect(refusal("send", "--all") == "unknown option --all; if it is an argument, write -- before it")
    #expect(refusal("--all", "show") == "--all is an option of a command; write it after the command")
    #expect(refusal("show", "--al=1") == "unknown option --al=1; did you mean '--all'?")
    #expect(refusal("--sockte", "x", "show") == "unknown option --sockte; did you mean '--socket'?")
    #expect(refusal("show", "--all=1") == "--all takes no value")
  }

  @Test(arguments: ["-x", "-inf", "-ax", "-axa", "-é", "--inf"]) func aWrongOptionAfterArgumentsIsNamed(_ word: String)
  {
    for words in [
      ["send", "weight", word], ["send", word, "weight"], ["send", "weight", word, "-s", "/y"], ["send", word],
    ] {
      #expect(refusal(words)?.hasPrefix("unknown option \(word)") == true, "\(words)")
    }
    #expect(refusal("show", "p", "-as") == "-as needs a value")
    #expect(refusal("show", "p", "-s") == "-s needs a value")
    #expect(refusal("show", "p", "--socket") == "--socket needs a value")
  }

  @Test func wordsAreCompleted() {
    func words(_ words: String...) -> [String]? {
      if case .words(let offered) = tool.completion(of: words) { offered } else { nil }
    }
    #expect(words("s") == ["send ", "show "])
    #expect(words("show", "--a") == ["--all "])
    #expect(words("show", "--color", "") == ["auto ", "never "])
    #expect(words("-s", "x", "sh") == ["show "])
    #expect(words("show", "p", "") == [])
    #expect(tool.completion(of: ["show", "-s", "x"]) == .files)
    guard case .fromHub(let value, let beginning, let parsed) = tool.completion(of: ["-s", "/y", "send", "coun"]) else {
      Issue.record("an action is completed from the hub")
      return
    }
    #expect(value == .action && beginning == "coun" && parsed.string("socket") == "/y")
    #expect(tool.completion(of: ["send", "x", "y", ""]) == .words([]))
    // The name of another command is an argument here, or the value of an option.
    #expect(tool.completion(of: ["send", "show", "--socket", "/tmp/"]) == .files)
    #expect(words("send", "show", "--a") == [])
    #expect(words("--socket", "show", "--wrong", "send", "--a") == [])
    #expect(words("--socket", "send", "--wrong", "show", "--a") == ["--all "])
  }

  // MARK: Subcommands

  private let probe = ProgramOptions(
    program: "probe", purpose: "Probes things.", manualSection: 8,
    options: [
      .init("depth", short: "d", argument: "N", "how deep"),
      .init("plan", argument: "FILE", "a file, or one of two", value: .fileOrWord(["fast", "slow"])),
    ],
    subcommands: [
      .init(
        "compare", "print what's changed", arguments: [.init("BEFORE", value: .file), .init("AFTER", value: .file)]),
      .init(
        "store", "work on the store", arguments: [.init("ACTION", value: .words(["check", "mend"]))],
        options: [
          .init("mode", argument: "MODE", "how", value: .words(["fast", "slow"])),
          .init("to", argument: "REV", "the last one", if: .argument("mend")),
        ],
        details: [.terms([("check", "read it"), ("mend", "write it")])]),
    ], elsewhere: ["watch": "gauge"])

  @Test func aSubcommandHasOnlyItsOwnOptions() throws {
    let parsed = try probe.parse(["store", "--mode", "fast", "mend", "--to=3"])
    #expect(parsed.command == "store" && parsed.arguments == ["mend"])
    #expect(parsed.string("mode") == "fast" && parsed.string("to") == "3")
    #expect(try probe.parse(["-d", "3"]).command == nil)
    #expect(try probe.parse(["store", "-h"]).flag("help"))
    func refusal(_ words: String...) -> String? {
      do throws(UsageError) { _ = try probe.parse(words) } catch { return error.description }
      return nil
    }
    #expect(refusal("store", "--depth", "3")?.hasPrefix("unknown option --depth") == true)
    #expect(refusal("store", "check", "--to", "3") == "--to is for `store mend`, not for `store check`")
    #expect(refusal("-d", "3", "store") == "'store' must be the first word, before all options")
    #expect(refusal("sotre") == "unexpected argument 'sotre'; did you mean 'store'?")
    #expect(refusal("watch", "--a", "it's b") == #"watch is a command of gauge: type `gauge watch --a 'it'\''s b'`"#)
    #expect(refusal("-d", "3", "watch", "b") == "watch is a command of gauge: type `gauge watch`")
    // The scripts and the manual page are those of the program.
    #expect(refusal("store", "--help=bash") == "--help takes no value")
  }

  @Test func helpAndManualDescribeSubcommands() throws {
    let help = probe.helpText
    #expect(help.contains("usage: probe [options]\n       probe COMMAND [options] ...\n"))
    #expect(help.contains("  compare BEFORE AFTER  print what's changed\n  store ACTION          work on the store\n"))
    let store = try #require(probe.subcommands.last)
    let own = probe.helpText(of: store)
    #expect(own.hasPrefix("Work on the store.\n\nusage: probe store [options] ACTION\n"))
    #expect(own.contains("mend: the last one") && own.contains("--version") && !own.contains("--depth"))
    let lines = probe.manualPage.split(separator: "\n")
    for line in [
      "\\fBprobe COMMAND [options] ...\\fR", ".SS \"compare BEFORE AFTER\"", ".SS \"store ACTION\"",
      "\\fBmend\\fR", "mend: the last one.",
    ] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }

  @Test func aShellCompletesSubcommands() throws {
    #expect(try bash(probe, "probe", "") == ["--depth", "--plan", "--help", "--version", "compare", "store"])
    #expect(try bash(probe, "probe", "s") == ["store"])
    #expect(try bash(probe, "probe", "-d", "3", "s").isEmpty)
    #expect(try bash(probe, "probe", "store", "") == ["--mode", "--to", "--help", "--version", "check", "mend"])
    #expect(try bash(probe, "probe", "store", "--mode", "s") == ["slow"])
    #expect(try bash(probe, "probe", "compare", "/bi") == ["/bin"])
    #expect(try bash(probe, "probe", "--plan", "fa") == ["fast"])
    #expect(try bash(probe, "probe", "--plan", "/bi") == ["/bin"])
    let zsh = probe.completionScript(for: .zsh)
    #expect(zsh.hasPrefix("#compdef probe\n"))
    #expect(zsh.contains(#"'1:command:((compare\:"print what'\''s changed" store\:"work on the store"))'"#))
    #expect(zsh.contains("'1:BEFORE:_files'") && zsh.contains("'1:ACTION:(check mend)'"))
  }

  /// Returns bash's own completions after some words, of which the last is incomplete.
  private func bash(_ options: ProgramOptions, _ words: String...) throws -> [String] {
    let script = """
      \(options.completionScript(for: .bash))
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
      _probe; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
  }

  @Test func aShellCompletesOptionsAndTheirValues() throws {
    let options = ProgramOptions(
      program: "probe", purpose: "Probes things.",
      options: [
        .init("state-dir", argument: "DIR", "where it's stored: [here]", value: .file),
        .init("mode", short: "m", argument: "MODE", "how", value: .words(["fast", "slow"])),
        .init("depth", argument: "N", "how deep"),
      ])
    #expect(try bash(options, "probe", "--st") == ["--state-dir"])
    #expect(try bash(options, "probe", "") == ["--state-dir", "--mode", "--depth", "--help", "--version"])
    #expect(try bash(options, "probe", "--mode", "") == ["fast", "slow"])
    #expect(try bash(options, "probe", "-m", "f") == ["fast"])
    #expect(try bash(options, "probe", "--state-dir", "/bi") == ["/bin"])
    #expect(try bash(options, "probe", "--depth", "").isEmpty)
    let zsh = options.completionScript(for: .zsh)
    #expect(zsh.hasPrefix("#compdef probe\n"))
    #expect(zsh.contains(#"'--state-dir[where it'\''s stored\: \[here\]]:DIR:_files'"#))
    #expect(zsh.contains("'(-m --mode)'{-m,--mode}'[how]:MODE:(fast slow)'"))
  }

  @Test func messagesShowControlCharactersByTheirNumbers() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      printError("probe: unknown option --\u{1B}[31m\u{202E}wrong\tcell 水")
    }
    // Runtimes of sanitizers may write further lines.
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("probe: unknown option --\\u{1b}[31m\\u{202e}wrong\tcell 水\n"), "\(text)")
  }

  @Test func theManualPageHasEveryOptionAndSurvivesItsLanguage() {
    let page = tool.manualPage
    for line in [
      ".SH \"NAME\"", ".SS \"show [PATH]\"", "\\fB\\-a, \\-\\-all\\fR", "It\\(aqs .dotted.", "a\\-b",
      "tool \\- does things",
    ] {
      #expect(page.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
    #expect(!page.contains("/x"))
    // A value that may be typed stays as it is.
    let literal = ProgramOptions(
      program: "probe", purpose: "p",
      options: [
        .init("theme", argument: "NAME", "dark or light", value: .words(["dark", "light"])),
        .init("other", argument: "NAME", "darker than that", value: .words(["dark", "light"])),
      ])
    #expect(literal.manualPage.contains("\ndark or light.\n") && literal.manualPage.contains("\nDarker than that."))
    #expect(tool.helpText.contains("where it is; default /x"))
  }
}
