internal import GatewayTokens
internal import Glibc
internal import JSONText
internal import ProgramOptions

extension ProgramOptions.Command {
  nonisolated static let token = Self(
    "token", "create, list and revoke the tokens with which remote clients connect through storegate",
    arguments: [.init("ACTION", value: .words(["create", "list", "revoke"])), .init("NAME", .atMostOnce)],
    options: [
      .init(
        "user", argument: "NUMBER", "the user of the token, from 2147483648 to 4294967293", if: .argument("create")),
      .init(
        "expires", argument: "WHEN",
        """
        the end of its validity: a time from now such as 12h or 90d, a day or time in UTC such as 2027-01-31, or never; \
        default 90d
        """, if: .argument("create")),
      .init(
        "file", argument: "FILE",
        """
        the file of the gateway's setting tokens; default: STOREGATE_TOKENS, or for root /var/lib/storegate/tokens, or \
        storegate/tokens in $XDG_STATE_HOME
        """, value: .file),
    ],
    details: [
      .text(
        """
        create prints the text of a new token, which is stored nowhere else: the file has its SHA-256. The number of the \
        user is one of those in the section [gateway] of the hub's configuration, and its rights are those of the section \
        [user NUMBER] there; several tokens may have the same user. revoke removes a token, and a running gateway closes \
        its connections at once.
        """),
      .code([
        "storectl token create alice-laptop --user 3000000001 --expires 30d", "storectl token list",
        "storectl token revoke alice-laptop",
      ]),
    ])
}

extension Tool {
  /// Runs `token create NAME`, `token list` and `token revoke NAME`.
  func token() throws(ToolFailure) {
    let file = TokenFile(options.string("file") ?? defaultTokenFile())
    switch (options.arguments[0], options.arguments.dropFirst().first) {
    case ("create", let name?): try createToken(name, in: file)
    case ("revoke", let name?): try revokeToken(name, in: file)
    case ("create", nil), ("revoke", nil):
      throw ToolFailure(.usage, "token \(options.arguments[0]) needs the NAME of the token")
    case ("list", nil): try listTokens(of: file)
    case ("list", let name?): throw ToolFailure(.usage, "unexpected argument '\(name)'")
    case (let word, _): throw wrongWord(word, ["create", "list", "revoke"])
    }
  }

  private func createToken(_ name: String, in file: TokenFile) throws(ToolFailure) {
    guard GatewayToken.isName(name) else {
      throw ToolFailure(
        .usage, "the name '\(name)' must have 1 to 40 letters of ASCII, digits, points, underscores and dashes")
    }
    guard let user = options.string("user").flatMap({ UInt32($0) }), 2_147_483_648...4_294_967_293 ~= user else {
      throw ToolFailure(
        .usage,
        """
        token create needs --user, a number from 2147483648 to 4294967293 of the section [gateway] in the hub's \
        configuration
        """)
    }
    let now = Int64(time(nil))
    let expiry = try expiry(from: now)
    let text = GatewayToken.newText()
    makeDirectory(of: file)
    try attempt { () throws(TokenFileError) in
      try file.update { (tokens) throws(TokenFileError) in
        let token = GatewayToken(
          name: name, digest: GatewayToken.digest(of: text), user: user, created: now, expiry: expiry)
        if !tokens.add(token) {
          let isTaken = tokens.named(name) != nil
          throw TokenFileError(
            file.path,
            isTaken
              ? "it has a token \(name) already; revoke that first"
              : "it has \(tokens.all.count) tokens, as many as fit")
        }
      }
    }
    effect = "the token \(name) was created; revoke it, because its text is lost"
    if isJSON {
      print(Self.json(GatewayToken(name: name, digest: [], user: user, created: now, expiry: expiry), text))
    } else {
      output.line(text)
      let end = expiry.map { "until \(timeText($0))" } ?? "without an end"
      note("token \(name) of user \(user), \(end); its text is not shown again")
    }
  }

  private func revokeToken(_ name: String, in file: TokenFile) throws(ToolFailure) {
    var isFound = false
    try attempt { () throws(TokenFileError) in
      // Otherwise a directory would be created for nothing.
      guard try file.read().named(name) != nil else { return }
      try file.update { (tokens) throws(TokenFileError) in isFound = tokens.remove(name) }
    }
    guard isFound else { throw ToolFailure(.absent, "there is no token \(name) in \(file.path)") }
    note("token \(name) is revoked")
  }

  private func listTokens(of file: TokenFile) throws(ToolFailure) {
    var tokens = GatewayTokens()
    try attempt { () throws(TokenFileError) in tokens = try file.read() }
    guard !isJSON else {
      for token in tokens.all { print(Self.json(token)) }
      return
    }
    let now = Int64(time(nil))
    let rows = tokens.all.map { token in
      [
        token.name, "\(token.user)", timeText(token.created),
        token.expiry.map { "\(timeText($0))\(token.isValid(at: now) ? "" : " (expired)")" } ?? "never",
      ]
    }
    guard !rows.isEmpty else { return note("there are no tokens in \(file.path)") }
    print(Table.lines(["NAME", "USER", "CREATED", "EXPIRES"], rows, palette, width: width))
  }

  private static func json(_ token: GatewayToken, _ text: String? = nil) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(token.name)), .init("user", .integer(token.user)),
      .init("created", .string(timeText(token.created))),
      .init("expires", token.expiry.map { .string(timeText($0)) } ?? .null),
    ]
    if let text { members.append(.init("token", .string(text))) }
    return .object(members)
  }

  /// The end of the validity of a new token.
  private func expiry(from now: Int64) throws(ToolFailure) -> Int64? {
    let text = options.string("expires") ?? "90d"
    if text == "never" { return nil }
    if let unit = [("m", 60), ("h", 3600), ("d", 86_400)].first(where: { text.hasSuffix($0.0) })?.1,
      let count = Int64(text.dropLast()), 1...100_000 ~= count
    {
      return now + count * Int64(unit)
    }
    guard let time = parsedTime(text), time > now else {
      throw ToolFailure(
        .usage,
        "--expires needs a time from now such as 12h or 90d, a later day such as 2027-01-31, or never, not '\(text)'")
    }
    return time
  }

  /// Creates the directory of a new file, for this user only; a directory that exists stays as it is.
  private func makeDirectory(of file: TokenFile) {
    var path = ""
    for step in file.directory.split(separator: "/") {
      path += (path.isEmpty && !file.directory.hasPrefix("/") ? "" : "/") + step
      mkdir(path, 0o700)
    }
  }

  private func attempt(_ body: () throws(TokenFileError) -> Void) throws(ToolFailure) {
    do throws(TokenFileError) { try body() } catch { throw ToolFailure(.failed, "\(error)") }
  }
}
