internal import ProgramOptions

/// The sections of storectl's manual page after its commands and options.
extension ProgramOptions.Section {
  nonisolated static let paths = Self(
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
        ("ages[\"a\"]", "the value of a dictionary by its key"),
        ("words[0]", "an element of a plain array by its index"),
        ("todos.todos.count", "the number of elements of a collection"),
        ("todos.todos[0..<50]", "a window: the first 50 elements of an ordered collection, with the number of all"),
        ("todos.todos[-20...]", "the window with the last 20"),
        (".", "the whole state, as an empty path"),
      ]),
      .text(
        """
        Differences are printed with such paths, and all commands take them. A hub knows no parts of plain arrays and \
        dictionaries, so commands read the whole one; verify takes only paths that the hub knows. Of a window, only the \
        elements are read; state, watch and verify take one. An id that looks like one is quoted. Quote paths with \
        brackets in shells.
        """),
    ])

  nonisolated static let actions = Self(
    "ACTIONS",
    [
      .text(
        """
        An action is the path of its cases, followed by the values of the last one: counter.incrementButtonTapped, \
        todos.addButtonTapped bread. Brackets select the element of a collection, as in todos.todos[3].textChanged, \
        which is short for todos.todos.element 3 '{"textChanged": ...}'.
        """)
    ])

  nonisolated static let revisionsAndTimes = Self(
    "REVISIONS AND TIMES",
    [
      .terms([
        ("1234", "a revision: the state after that many actions; see below"), ("now", "the last stored revision"),
        ("90s, 10m, 2h, 3d", "this long ago"), ("14:30, 14:30:05", "today, not later than now"),
        ("today, yesterday, monday", "the beginning of that day, the last one of this name before today"),
        ("\"yesterday 14:30\"", "a time of that day"),
        ("2026-11-21, 2026-11-21T22:51", "a day or a time, in this machine's zone"),
        ("2026-11-21T22:51:30Z", "in UTC"),
      ]),
      .text(
        """
        The actions of one turn take effect together, so there is a state only after each turn. For a revision inside a \
        turn, commands that read a state use the one at the end of the turn, and say so on standard error; log --since \
        prints the turn; and journal repair --to discards it. bisect finds the first turn whose state satisfies the \
        predicate.
        """),
    ])

  nonisolated static let json = Self(
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
        ("Change", "an array of edits; see CHANGES"),
        ("other types", "{\"cbor\": \"...\"}, the bytes in hexadecimal"),
      ]),
      .text(
        """
        watch prints objects with \"event\": \"value\" (with \"value\"), \"change\" (with \"changes\", by --diff), \
        \"absent\", \"disconnected\" (with \"reason\", by --reconnect) and, at the end, \"end\" (with \"reason\" and \
        \"status\"); the first three have the \"revision\".
        """),
      .text(
        """
        Values are compared by their bytes, so that two texts which look the same may differ. Each of the changes has a \
        \"path\" and the \"old\" and \"new\" value; an element that only moved has \"moved\": true instead. The old \
        list becomes the new one if the removed and the moved elements are taken out, then the new and the moved ones \
        are put in, in the order of the changes: each before the element with the path \"before\", or at the end if \
        that is null or missing.
        """),
    ])

  nonisolated static let changes = Self(
    "CHANGES",
    [
      .text(
        """
        An action that changes a field of a shared model has a value of the type Change. It is an array of edits, which \
        the hub merges into its state. Each is an object with the path \"at\" of the edited part inside the field, which \
        may be missing for the field itself, and one of:
        """),
      .terms([
        (
          "{\"at\": \"[3].title\", \"set\": \"x\"}",
          "the new value of any part; fields that a struct's value lacks stay as they are"
        ),
        ("{\"at\": \"votes\", \"add\": 2}", "a number that a counter grows by"),
        ("{\"at\": \"words\", \"append\": [\"x\"]}", "elements at the end of an array"),
        (
          "{\"at\": \"tags\", \"remove\": [\"a\"]}",
          "members of a set, keys of a dictionary, or ids of elements that are removed"
        ),
        ("{\"at\": \"tags\", \"insert\": [\"b\"]}", "members of a set; for a dictionary, an object as its value"),
        (
          "{\"insert\": {\"id\": 4}, \"after\": 3}",
          "an element with an id; in a stack, [id, element]. An id that exists is replaced where it is"
        ),
        ("{\"move\": 5, \"to\": \"start\"}", "an element, by its id"),
      ]),
      .text(
        """
        The place of an element is \"after\" another one, or \"to\" the \"start\" or the \"end\". If the other one is \
        gone when the hub merges the change, the \"offset\" in the list counts, by default its end. Edits of parts that \
        are gone have no effect. set, insert, remove and move make such actions; log and the other commands print them \
        in words, such as: set syncUps[3].title = \"x\"
        """),
    ])

  nonisolated static let exitStatus = Self(
    "EXIT STATUS",
    [
      .terms([
        (
          "0",
          """
          success, also if the reader of the output has closed it; status, send, set, insert, remove, move, verify, \
          fork, snapshot, inspect, journal verify and journal repair then go on, and end with their own status
          """
        ),
        ("1", "the hub rejected it, or another error occurred"),
        ("2", "the command line is wrong"),
        ("3", "the hub's schema has no such path, action or type, or a value does not fit"),
        ("4", "no hub can be reached, or it closed the connection before anything was sent"),
        ("5", "the hub closed the connection; an action that was sent may have taken effect"),
        ("6", "the hub, or for cluster etcd or a hub that leads, did not answer in time; the same holds"),
        ("7", "the path has no value, or the journal has no matching entry"),
        (
          "8",
          """
          verify: the state differs from the hub's; generate --check: the file is out of date; cluster verify: the \
          journal and the log of the cluster differ, or that log is damaged; cluster restore: the log must not be \
          continued with this journal
          """
        ),
        ("9", "the journal is damaged"),
        (
          "10",
          "the output cannot be written, but the action took effect, or the journal was repaired or imported"
        ),
        ("11", "the hub refused it because this user lacks the right"),
        ("12", "send --must-change: nothing has changed; cluster restore: there is nothing to restore"),
        ("130, 143", "SIGINT; SIGTERM or SIGHUP"),
      ])
    ])

  nonisolated static let environment = Self(
    "ENVIRONMENT",
    [
      .terms([
        socketVariable(),
        stateDirectoryVariable(),
        ("PAGER", "the program for output that is longer than the terminal; default less"),
        ("NO_COLOR", "turns colours off if it is not empty"),
        ("COLUMNS", "the width of lines, if it differs from the terminal's"),
      ])
    ])

  nonisolated static let seeAlso = Self("SEE ALSO", [.text("storehubd(8), storeterm(1), storeload(1), jq(1)")])
}
