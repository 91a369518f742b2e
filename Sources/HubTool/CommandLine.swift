package import ProgramOptions

/// The command line of storectl, from which the parser, `--help`, the manual page and the completions are made.
package nonisolated func toolOptions() -> ProgramOptions {
  let path = ProgramOptions.Argument("PATH", .atMostOnce, value: .path)
  let hub = ProgramOptions.Option("hub", "use the hub's own state (its clients) instead of the feature's")
  let directory = ProgramOptions.Option(
    "state-dir", argument: "DIR", "the hub's state directory; default: STOREHUB_STATE_DIR", value: .file)
  let reads = ProgramOptions.Block.text(
    "Reads the hub's state directory, whether or not the hub is running, and changes no data.")
  return ProgramOptions(
    program: "storectl",
    purpose: "Shows and watches the state of a hub of any feature, and sends it actions.",
    options: [
      .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
      .init("json", short: "j", "print JSON, one value per line"),
      .init("quiet", short: "q", "print no messages on standard error, only set the exit status"),
      .init("timeout", argument: "TIME", "the time to wait for an answer, such as 500ms or 2m; default 10s"),
      .init(
        "color", argument: "WHEN", "auto, always or never; default auto: on a terminal, unless NO_COLOR is set",
        value: .words(["auto", "always", "never"])),
      .init("no-pager", "do not show long output in $PAGER"),
    ],
    commands: [
      .init(
        "status",
        "show whether a hub is running, its revision and response time, what it has refused and what it holds",
        details: [
          .text(
            "What users without the right to read the hub's own state may not see is unknown, and null with --json.")
        ]),
      .init(
        "clients", "list the clients of the hub",
        details: [
          .text(
            """
            Shows for each its number, its process and user, since when it is connected, the bytes that the hub holds for \
            it (unfinished input, unread output and unacknowledged rejections), its name, and the parts of the state to \
            which it subscribes. After a restart of the hub, the time is that of the restart.
            """)
        ]),
      .init(
        "schema", "show the types of the state and of the actions",
        arguments: [.init("TYPE", .atMostOnce, value: .type)],
        options: [hub], details: [.text("With a TYPE, only that one.")]),
      .init(
        "state", "print the state, or the part at a path", arguments: [path],
        options: [
          hub, .init("at", argument: "REV|TIME", "the state at this point, from the journal in --state-dir"),
          directory,
        ],
        details: [.text("Prints nothing and exits with 7 if the path has no value.")]),
      .init(
        "watch", "print the state, or the part at a path, each time it changes", arguments: [path],
        options: [
          .init("diff", short: "d", "print the changes instead of whole values"),
          .init("count", short: "n", argument: "N", "end after N values, including the current one"), hub,
        ],
        details: [
          .text(
            """
            Prints the current value first. Each further one is the state after one turn of the hub, which may have applied \
            several actions. If the output is read slowly, values are skipped, but never the last one. Ends when the hub \
            closes the connection, and prints the reason, or with SIGINT. With --json the last line has the reason.
            """)
        ]),
      .init(
        "send", "send an action and wait for its outcome",
        arguments: [.init("ACTION", value: .action), .init("VALUE", .anyNumber)],
        options: [
          .init("no-wait", "end as soon as the hub's socket has accepted it"),
          .init("diff", short: "d", "print what has changed since it was sent, including changes by others"),
          .init(
            "path", short: "p", argument: "PATH",
            "with --diff: only changes of this part, which is read in place of the whole state", value: .path),
        ],
        details: [
          .text(
            """
            The values of the action are JSON. A text needs no quotes. Several values may also be one object with their \
            labels, or one array. An ACTION that begins with { is a whole action as JSON. The revision that --json prints \
            is the hub's when it acknowledged the action, and may also include later actions.
            """),
          .code([
            "storectl send counter.incrementButtonTapped", "storectl send todos.addButtonTapped bread",
            "storectl send 'todos.todos[3].completionChanged' true",
            "storectl send todos.moved '{\"id\": 3, \"before\": 0}'",
          ]),
        ]),
      .init(
        "top", "show the activity of the hub, continuously",
        options: [
          .init("interval", short: "i", argument: "TIME", "the time between two updates; default 1s"),
          .init("count", short: "n", argument: "N", "end after N updates"),
        ],
        details: [
          .text(
            """
            Shows actions per second, response times, clients, the parts with subscribers, and queues: frames that are \
            incomplete or unread, and turns that wait for the journal. Prints lines if the output is not a terminal. Needs \
            the right to read the hub's own state.
            """
          )
        ]),
      .init(
        "verify", "compare the hash of the received state with the hub's",
        arguments: [.init("PATH", .anyNumber, value: .path)],
        details: [
          .text(
            """
            Reads the state, or the parts at the paths, and compares its hash with the hub's. Without a path, also compares \
            the hub's own state. Exits with 8 if a hash differs, which is a bug of the hub or of this program.
            """)
        ]),
      .init(
        "log", "print the turns of the journal: their actions and changes",
        options: [
          .init("follow", short: "f", "also print the turns that the hub stores from now on"),
          .init("path", short: "p", argument: "PATH", "only turns that changed the part at a path", value: .path),
          .init("uid", short: "u", argument: "USER", "only turns with an action of a user, by number or name"),
          .init("since", argument: "REV|TIME", "only turns after a revision or a time"),
          .init("count", short: "n", argument: "N", "of the turns before now, only the last N"), directory,
        ],
        details: [
          reads,
          .text(
            """
            A turn of the hub consists of the actions that took effect together, usually one; all of them are printed, and \
            their changes follow the last of them. With --json there is one object per turn: revision, from, time, actions (name, action, origin, user, process, client, \
            sequence) and changes (path, old, new).
            """),
        ]),
      .init(
        "diff", "print the differences between two revisions of the journal",
        arguments: [.init("REV1|TIME1"), .init("REV2|TIME2")], options: [directory], details: [reads]),
      .init(
        "blame", "print the action that last changed the part at a path", arguments: [.init("PATH", value: .path)],
        options: [directory], details: [reads]),
      .init(
        "bisect", "print the first revision of the journal that satisfies a predicate",
        arguments: [.init("PREDICATE", .anyNumber)], options: [directory],
        details: [
          reads,
          .text(
            """
            A predicate is a path, a comparison (== != < <= > >=, or ~ for a text that contains another one) and a value. A \
            path alone is true if it has a value that is neither false nor nil, and with ! before it if not. .count after a \
            path is the number of its elements. All revisions are checked, so the predicate may be false again later.
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
            Prints a link to a page with the live state, the clients, the rate of actions and the response time; with \
            --state-dir also the actions of the journal with their changes, and the state at any of its revisions. The page \
            changes nothing and loads nothing from other hosts.
            """),
          .text(
            """
            Only browsers on this machine can reach the page, and each link works once; then the next one is printed. The \
            page stays open while the hub is down, and continues when it is back. SIGINT ends the command.
            """),
        ]),
      .init(
        "fork", "start a hub on a copy of the journal up to a revision", arguments: [.init("REV|TIME")],
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
            The new hub listens on --socket, runs in the foreground, and is independent of the first one. Use it to try \
            alternatives from an earlier state.
            """),
          .code(["storectl fork 1200 --state-dir /var/lib/storehub --socket /tmp/sandbox.sock"]),
        ]),
      .init(
        "snapshot", "write the state to a file, or start a journal with one",
        arguments: [.init("ACTION", value: .words(["export", "import"])), .init("FILE", .atMostOnce, value: .file)],
        options: [directory, .init("at", argument: "REV|TIME", "export: the state at this point; default now")],
        details: [
          .text(
            """
            export writes one JSON object to FILE, or to standard output; the schema and the state in it are their CBOR \
            bytes as hexadecimal digits. import creates a \
            journal in --state-dir, where there must be none, from which a hub of the same feature can start.
            """)
        ]),
      .init(
        "journal", "check, repair or print the journal of a hub that is not running",
        arguments: [.init("ACTION", value: .words(["verify", "repair", "export"]))],
        options: [
          directory, .init("to", argument: "REV", "repair: the last revision to keep; default: the last sound one"),
        ],
        details: [
          .text(
            """
            verify reads everything and exits with 9 if something is damaged. repair copies the files, keeps the turns up to \
            a revision and discards the rest; a signal ends it only before it has changed anything. export prints the \
            turns and the sessions, one JSON object per line, with the stored bytes.
            """)
        ]),
      .init(
        "completions", "print a script that completes words in a shell",
        arguments: [.init("SHELL", value: .words(["bash", "zsh"]))],
        details: [
          .text(
            """
            Paths and actions are completed from the hub's schema, ids of elements from its state. A hub that does not \
            answer within 500 ms, and a part of more than 1 MB, are not waited for.
            """),
          .code(["source <(storectl completions bash)", "source <(storectl completions zsh)"]),
        ]),
    ],
    sections: [
      .init(
        "PATHS",
        [
          .text("A path leads from the state to a part of it, written as in Swift:"),
          .terms([
            ("counter.count", "a field of a field"),
            ("todos.todos[3].text", "the element with the id 3 of an identified array; not the third one"),
            ("items[\"a b\"]", "an element by a text; a UUID, a number or a word without spaces needs no quotes"),
            ("path[#2]", "an element of a stack by its id"),
            ("destination.list", "the value of the case list of an enum; there is no value in another case"),
            ("position.at.x", "one of several values of a case, by its label or its number from 0"),
            ("alert.title", "optionals need no step; alert? is the wrapped value"),
            ("`strange name`", "a name with characters that identifiers do not have"),
            (".", "the whole state, as an empty path"),
          ]),
          .text("No path leads into plain arrays, sets and dictionaries. Quote paths with brackets in shells."),
        ]),
      .init(
        "ACTIONS",
        [
          .text(
            """
            An action is the path of its cases, followed by the values of the last one: counter.incrementButtonTapped, \
            todos.addButtonTapped bread. Brackets select the element of a collection, as in todos.todos[3].textChanged, \
            which is short for todos.todos.element 3 '{"textChanged": ...}'.
            """)
        ]),
      .init(
        "REVISIONS AND TIMES",
        [
          .terms([
            ("1234", "a revision: the state after that many actions"), ("now", "the last stored revision"),
            ("90s, 10m, 2h, 3d", "this long ago"), ("14:30, 14:30:05", "today"),
            ("2026-11-21, 2026-11-21T22:51", "a day or a time, in this machine's zone"),
            ("2026-11-21T22:51:30Z", "in UTC"),
          ])
        ]),
      .init(
        "JSON",
        [
          .text("Each value has one form, which send accepts as well:"),
          .terms([
            ("struct", "an object with the names of the fields"),
            (
              "enum",
              "\"name\" without a value, {\"name\": value} with one; with several values an object with their labels, or an array if they have none"
            ),
            ("optional", "the value or null; an optional in an optional is {\"some\": value}"),
            ("integers", "numbers; beyond 9007199254740991 strings of digits, since jq and others round such numbers"),
            ("Float, Double", "numbers; \"NaN\", \"Infinity\", \"-Infinity\""),
            ("Array, Set, IdentifiedArray", "arrays"),
            ("Dictionary", "an object if the keys are texts, otherwise an array of [key, value]"),
            ("StackState", "an array of [id, element]"),
            ("Result", "{\"success\": value} or {\"failure\": value}"),
            ("Range, ClosedRange", "[lower, upper]"),
            ("Data, UUID", "hexadecimal digits; \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""),
            ("Date", "\"2026-11-21T22:51:30.5Z\"; seconds since 2001 as a number if that would lose digits"),
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
            (
              "0",
              """
              success, also if the reader of the output has closed it; status, send, verify, fork, snapshot, inspect, \
              journal verify and journal repair then go on, and end with their own status
              """
            ),
            ("1", "the hub rejected it, or another error occurred"),
            ("2", "the command line is wrong"),
            ("3", "the hub's schema has no such path, action or type, or a value does not fit"),
            ("4", "no hub can be reached, or it closed the connection before anything was sent"),
            ("5", "the hub closed the connection; an action that was sent may have taken effect"),
            ("6", "the hub did not answer in time; the same holds"),
            ("7", "the path has no value, or the journal has no matching entry"),
            ("8", "verify: the state differs from the hub's"), ("9", "the journal is damaged"),
            ("130, 143", "SIGINT; SIGTERM or SIGHUP"),
          ])
        ]),
      .init(
        "ENVIRONMENT",
        [
          .terms([
            socketVariable(),
            ("STOREHUB_STATE_DIR", "the hub's state directory, where --state-dir is not given"),
            ("PAGER", "the program for output that is longer than the terminal; default less"),
            ("NO_COLOR", "turns colours off if it is not empty"),
            ("COLUMNS", "the width of lines, if it differs from the terminal's"),
          ])
        ]),
      .init("SEE ALSO", [.text("storehubd(8), storeterm(1), storeload(1), jq(1)")]),
    ])
}
