public import ProgramOptions

/// The command line of storectl: of this the parser, `--help`, the manual page and the completions are made.
public nonisolated func toolOptions() -> ProgramOptions {
  let path = ProgramOptions.Argument("PATH", .atMostOnce, value: .path)
  let hub = ProgramOptions.Option("hub", "take the hub's own state (who is attached) instead of the feature's")
  return ProgramOptions(
    program: "storectl",
    purpose: "Shows the state of a hub, follows it, and sends it actions, whatever its feature is.",
    options: [
      .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
      .init("json", short: "j", "print JSON, one value a line"),
      .init("quiet", short: "q", "print no messages on standard error; the exit status tells"),
      .init("timeout", argument: "TIME", "how long to wait for an answer, such as 500ms or 2m; default 10s"),
      .init(
        "color", argument: "WHEN", "auto, always or never; default auto: on a terminal, unless NO_COLOR is set",
        value: .words(["auto", "always", "never"])),
      .init("no-pager", "do not show long output in $PAGER"),
    ],
    commands: [
      .init("status", "show whether a hub is there, its revision and how fast it answers"),
      .init("clients", "list who is attached to the hub"),
      .init(
        "schema", "show the types of the state and of the actions",
        arguments: [.init("TYPE", .atMostOnce, value: .type)],
        options: [hub], details: [.text("With a TYPE, only that one.")]),
      .init(
        "state", "print the state, or the part at a path", arguments: [path], options: [hub],
        details: [.text("Prints nothing and exits with 7 if nothing is at the path.")]),
      .init(
        "watch", "print the state, or the part at a path, each time it changes", arguments: [path],
        options: [
          .init("diff", short: "d", "print what changed instead of the whole"),
          .init("count", short: "n", argument: "N", "end after N values, of which the present one is the first"), hub,
        ],
        details: [
          .text(
            """
            Prints the present value first. Each further one is the state after one turn of the hub, which may have applied \
            several actions. Who reads the output slowly gets fewer of them, and always the last. Ends when the hub goes away \
            or with SIGINT, and says why; with --json in a last line.
            """)
        ]),
      .init(
        "send", "send an action and wait for its outcome",
        arguments: [.init("ACTION", value: .action), .init("VALUE", .anyNumber)],
        options: [
          .init("wait", "wait until the hub has applied or refused it; the default"),
          .init("no-wait", "end as soon as the hub's socket has taken it"),
          .init("diff", short: "d", "print what it changed"),
        ],
        details: [
          .text(
            """
            The values that the action holds are JSON. A text needs no quotes. Several values may also be one object by their \
            labels, or one array. An ACTION that begins with { is a whole action as JSON.
            """),
          .code([
            "storectl send counter.incrementButtonTapped", "storectl send todos.addButtonTapped bread",
            "storectl send 'todos.todos[3].completionChanged' true",
            "storectl send todos.moved '{\"id\": 3, \"before\": 0}'",
          ]),
        ]),
      .init(
        "top", "show what the hub does, again and again",
        options: [
          .init("interval", short: "i", argument: "TIME", "the time between two lines or pictures; default 1s"),
          .init("count", short: "n", argument: "N", "end after N of them"),
        ],
        details: [
          .text(
            "Actions per second, how fast the hub answers, and who is attached. Prints lines if the output is no terminal."
          )
        ]),
      .init(
        "verify", "compare the hash of the state here with that of the hub",
        arguments: [.init("PATH", .anyNumber, value: .path)],
        details: [
          .text(
            """
            Reads the state, or the parts at the paths, computes its hash and asks the hub for its own. Without a path also \
            the hub's own state. Exits with 8 if one differs, which is a defect of the hub or of this program.
            """)
        ]),
      .init(
        "completions", "print a script that completes words in a shell",
        arguments: [.init("SHELL", value: .words(["bash", "zsh"]))],
        details: [
          .text("Paths and actions are completed from the hub's schema, ids of elements from its state."),
          .code(["source <(storectl completions bash)", "source <(storectl completions zsh)"]),
        ]),
    ],
    sections: [
      .init(
        "PATHS",
        [
          .text("A path leads from the state to a part of it, as Swift would write it:"),
          .terms([
            ("counter.count", "a field of a field"),
            ("todos.todos[3].text", "the element with the id 3 of an identified array; not the third one"),
            ("items[\"a b\"]", "an element by a text; a UUID, a number or a word without spaces needs no quotes"),
            ("path[#2]", "an element of a stack by its id"),
            ("destination.list", "what the case list of an enum holds; nothing is there in another case"),
            ("position.at.x", "one of several values of a case, by its label or its number from 0"),
            ("alert.title", "optionals need no step; alert? is what the optional holds"),
            ("`strange name`", "a name with other characters than those of identifiers"),
            (".", "the whole state, as an empty path"),
          ]),
          .text("No path leads into plain arrays, sets and dictionaries. Quote paths with brackets in shells."),
        ]),
      .init(
        "ACTIONS",
        [
          .text(
            """
            An action is the path of its cases, and behind it the values of the last one: counter.incrementButtonTapped, \
            todos.addButtonTapped bread. The element of a collection that an action is for stands in brackets, \
            todos.todos[3].textChanged, which is short for todos.todos.element 3 '{"textChanged": ...}'.
            """)
        ]),
      .init(
        "JSON",
        [
          .text("Each value has one form, and the same forms are read by send:"),
          .terms([
            ("struct", "an object of the fields by their names"),
            (
              "enum",
              "\"name\" without a value, {\"name\": value} with one; with several the value is an object by their labels, or an array if they have none"
            ),
            ("optional", "the value or null; an optional in an optional is {\"some\": value}"),
            ("integers", "numbers; beyond 9007199254740991 strings of digits, since jq and others round such numbers"),
            ("Float, Double", "numbers; \"NaN\", \"Infinity\", \"-Infinity\""),
            ("Array, Set, IdentifiedArray", "arrays"),
            ("Dictionary", "an object if the keys are texts, else an array of [key, value]"),
            ("StackState", "an array of [id, element]"),
            ("Result", "{\"success\": value} or {\"failure\": value}"),
            ("Range, ClosedRange", "[lower, upper]"),
            ("Data, UUID", "hexadecimal digits; \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""),
            ("Date", "\"2026-11-21T22:51:30.5Z\"; seconds since 2001 as a number where that would lose digits"),
            ("Duration", "\"1.5s\""),
            ("other types", "{\"cbor\": \"...\"}, the bytes in hexadecimal"),
          ]),
          .text(
            """
            watch prints objects with \"event\": \"value\" (with \"value\"), \"change\" (with \"changes\", by --diff), \
            \"absent\" and, at the end, \"end\" (with \"reason\" and \"status\"); all but the last have the \"revision\".
            """),
        ]),
      .init(
        "EXIT STATUS",
        [
          .terms([
            ("0", "done; also if who reads the output has gone"), ("1", "the hub refused it, or something else failed"),
            ("2", "the command line is wrong"),
            ("3", "the hub's schema has no such path, action or type, or a value does not fit"),
            ("4", "no hub can be reached"), ("5", "the hub went away, or stopped answering, while it was needed"),
            ("6", "the hub did not answer in time"), ("7", "nothing is at the path"),
            ("8", "verify: the state here is not the hub's"), ("130, 143", "SIGINT; SIGTERM or SIGHUP"),
          ])
        ]),
      .init(
        "ENVIRONMENT",
        [
          .terms([
            (
              "STOREHUB_SOCKET",
              "the socket; without it storehub/hub.sock in $XDG_RUNTIME_DIR, or storehub-UID/hub.sock in $TMPDIR or /tmp"
            ),
            ("PAGER", "shows output that is longer than the terminal; default less"),
            ("NO_COLOR", "if it is not empty, there are no colours"),
            ("COLUMNS", "the width of lines, if it is not the terminal's"),
          ])
        ]),
      .init("SEE ALSO", [.text("storehubd(8), storeterm(1), storeload(1), jq(1)")]),
    ])
}
