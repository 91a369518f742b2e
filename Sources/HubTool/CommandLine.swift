public import ProgramOptions

/// The command line of storectl, from which the parser, `--help`, the manual page and the completions are made.
public nonisolated func toolOptions() -> ProgramOptions {
  let path = ProgramOptions.Argument("PATH", .atMostOnce, value: .path)
  let hub = ProgramOptions.Option("hub", "take the hub's own state (who is attached) instead of the feature's")
  let directory = ProgramOptions.Option(
    "state-dir", argument: "DIR", "the hub's state directory; default: STOREHUB_STATE_DIR", value: .file)
  let reads = ProgramOptions.Block.text(
    "Reads the hub's state directory, whether the hub runs or not, and changes nothing.")
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
      .init(
        "status",
        "show whether a hub is there, its revision, how fast it answers, what it has refused and what it holds"),
      .init("clients", "list who is attached to the hub"),
      .init(
        "schema", "show the types of the state and of the actions",
        arguments: [.init("TYPE", .atMostOnce, value: .type)],
        options: [hub], details: [.text("With a TYPE, only that one.")]),
      .init(
        "state", "print the state, or the part at a path", arguments: [path],
        options: [
          hub, .init("at", argument: "REV|TIME", "the state as it was then, from the journal in --state-dir"),
          directory,
        ],
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
        "log", "print the actions of the journal, each with what it changed",
        options: [
          .init("follow", short: "f", "go on with what the hub stores from now on"),
          .init("path", short: "p", argument: "PATH", "only what changed the part at a path", value: .path),
          .init("uid", short: "u", argument: "USER", "only what a user sent, by number or name"),
          .init("since", argument: "REV|TIME", "only what came behind a revision or a time"),
          .init("count", short: "n", argument: "N", "only the last N of them"), directory,
        ],
        details: [
          reads,
          .text(
            """
            The actions of one turn of the hub took effect together, and what they changed stands behind the last of them. \
            With --json there is one object for each turn: revision, from, time, actions (name, action, origin, user, \
            process, client, sequence) and changes (path, old, new).
            """),
        ]),
      .init(
        "diff", "print in what two revisions of the journal differ",
        arguments: [.init("REV1|TIME1"), .init("REV2|TIME2")], options: [directory], details: [reads]),
      .init(
        "blame", "print the action that last changed the part at a path", arguments: [.init("PATH", value: .path)],
        options: [directory], details: [reads]),
      .init(
        "bisect", "print the first revision of the journal at which something holds",
        arguments: [.init("PREDICATE", .anyNumber)], options: [directory],
        details: [
          reads,
          .text(
            """
            A predicate is a path, a comparison (== != < <= > >=, or ~ for a text that contains another one) and a value, \
            or a path alone: that holds if something is there that is neither false nor nil; with ! before it, if not. \
            .count behind a path stands for the number of its elements. All revisions are looked at, so it need not hold \
            from then on.
            """),
          .code([
            "storectl bisect 'counter.count > 5'", "storectl bisect 'todos.todos[3].text ~ milk'",
            "storectl bisect '!todos.todos[3]'",
          ]),
        ]),
      .init(
        "inspect", "show the state and its history in a web browser",
        options: [
          .init(
            "listen", argument: "ADDRESS",
            "a port of 127.0.0.1, or the path of a Unix socket; default: a free port"), directory,
        ],
        details: [
          .text(
            """
            Prints a link to a page with the live state, who is attached, how many actions take effect and how fast the hub \
            answers; with --state-dir also the actions of the journal, each with what it changed, and the state at any of its \
            revisions. The page changes nothing and loads nothing from elsewhere.
            """),
          .text(
            """
            Only browsers of this machine can reach the page, and only the first one that opens the link can read the state; \
            another link is printed then. The page stays when the hub goes away, and follows it when it comes back. Ends with \
            SIGINT.
            """),
        ]),
      .init(
        "fork", "start a hub on a copy of the journal, as it was at a revision", arguments: [.init("REV|TIME")],
        options: [
          directory,
          .init("into", argument: "DIR", "the copy's directory; default: a new one in $TMPDIR", value: .file),
          .init(
            "hub-program", argument: "PROGRAM",
            "the hub's program, which takes --socket and --state-dir; default storehubd",
            value: .file),
        ],
        details: [
          .text(
            """
            The other hub listens on --socket, runs in the foreground, and is nothing to the first one: a place to try out \
            what would have happened.
            """),
          .code(["storectl fork 1200 --state-dir /var/lib/storehub --socket /tmp/sandbox.sock"]),
        ]),
      .init(
        "snapshot", "write the state to a file, or begin a journal with one",
        arguments: [.init("ACTION", value: .words(["export", "import"])), .init("FILE", .atMostOnce, value: .file)],
        options: [directory, .init("at", argument: "REV|TIME", "export: the state as it was then; default now")],
        details: [
          .text(
            """
            export writes one JSON object with the schema and the state to FILE, or to standard output. import makes a \
            journal in --state-dir, where there must be none, from which a hub of the same feature goes on.
            """)
        ]),
      .init(
        "journal", "check, mend or print the journal of a hub that is not running",
        arguments: [.init("ACTION", value: .words(["verify", "repair", "export"]))],
        options: [
          directory, .init("to", argument: "REV", "repair: the last revision to keep; default: the last sound one"),
        ],
        details: [
          .text(
            """
            verify reads everything and exits with 9 if something is damaged. repair keeps the turns up to a revision and \
            gives up the rest; the files as they were are copied first. export prints the turns and the sessions, one JSON \
            object a line, with the bytes as they are stored.
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
        "REVISIONS AND TIMES",
        [
          .terms([
            ("1234", "a revision: the state after that many actions"), ("now", "the last one that is stored"),
            ("90s, 10m, 2h, 3d", "so long ago"), ("14:30, 14:30:05", "today"),
            ("2026-11-21, 2026-11-21T22:51", "a day or a time, in this machine's zone"),
            ("2026-11-21T22:51:30Z", "in UTC"),
          ])
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
            ("6", "the hub did not answer in time"),
            ("7", "nothing is at the path, or the journal has nothing of the kind"),
            ("8", "verify: the state here is not the hub's"), ("9", "the journal is damaged"),
            ("130, 143", "SIGINT; SIGTERM or SIGHUP"),
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
            ("STOREHUB_STATE_DIR", "the hub's state directory, where --state-dir is not given"),
            ("PAGER", "shows output that is longer than the terminal; default less"),
            ("NO_COLOR", "if it is not empty, there are no colours"),
            ("COLUMNS", "the width of lines, if it is not the terminal's"),
          ])
        ]),
      .init("SEE ALSO", [.text("storehubd(8), storeterm(1), storeload(1), jq(1)")]),
    ])
}
