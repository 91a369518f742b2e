internal import ProgramOptions
internal import ReplicaCore
internal import Terminal
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let watch = Self(
    "watch", "print the state, or the part at a path, each time it changes", arguments: [.path],
    options: [
      .init("diff", short: "d", "print the changes instead of whole values"),
      .init("count", short: "n", argument: "N", "end after N values, including the current one"), .hub,
    ],
    details: [
      .text(
        """
        Prints the current value first. Each further one is the state after one turn of the hub, which may have applied \
        several actions. If the output is read slowly, values are skipped, but never the last one. Ends when the hub \
        closes the connection, and prints the reason, or with SIGINT. With --json the last line has the reason.
        """)
    ])
}

extension Tool {
  func watch() async throws(ToolFailure) {
    let hub = try await connect(isWatched: true)
    let schema = hub.schema(of: root)
    let name = options.arguments.first ?? ""
    let path = try path(name, in: schema)
    let printer = ChangePrinter(self, schema, isDiff: options.flag("diff"), path: name)
    let count = options.string("count").flatMap { Int($0) }
    var seen = 0
    var scope: HubConnection.Scope?
    var shown: (revision: UInt64, value: CBORValue?)?
    let show = {
      guard let mirror = scope?.mirror, let revision = mirror.revision, hub.failure == nil else { return }
      // The first value may be reported again, if it arrives together with a change.
      if let shown, shown.revision == revision, shown.value == mirror.value { return }
      shown = (revision, mirror.value)
      printer.print(mirror.value, mirror.type?.type, at: revision)
      seen += 1
      if seen == count { hub.fail(.done, "") }
    }
    // Pauses reading while the output is blocked; the hub then sends one delta for many.
    output.onFull = { hub.pause($0) }
    scope = try await hub.subscribe(to: path, of: root) { if scope != nil { show() } }
    show()
    let end = await hub.waitForFailure()
    if end.status == .done { return }
    if isJSON { print(["event": "end", "reason": .string(end.reason), "status": .integer(end.status.rawValue)]) }
    throw end
  }
}

/// Prints successive values, as a whole or as differences.
final class ChangePrinter {
  private let tool: Tool
  private let schema: Schema
  private let isDiff: Bool
  private let path: String
  private var last: (value: CBORValue?, revision: UInt64)?

  init(_ tool: Tool, _ schema: Schema, isDiff: Bool, path: String) {
    // A point names the whole.
    (self.tool, self.schema, self.isDiff, self.path) = (tool, schema, isDiff, path == "." ? "" : path)
  }

  func print(_ value: CBORValue?, _ type: SchemaType?, at revision: UInt64) {
    defer { last = (value, revision) }
    guard let value, let type else {
      if tool.isJSON { return tool.print(["event": "absent", "revision": .integer(revision)]) }
      return lines(["nothing is there"], at: revision)
    }
    let old = last.flatMap(\.value)
    if isDiff, let old {
      let found = SchemaValues(schema).differences(from: old, to: value, as: type)
      if tool.isJSON {
        return tool.print([
          "event": "change", "revision": .integer(revision), "from": .integer(last?.revision ?? 0),
          "changes": .array(found.map { json($0) }),
        ])
      }
      return lines(found.flatMap { text($0) }, at: revision)
    }
    if tool.isJSON {
      let json = SchemaJSON(schema).json(of: value, as: type)
      return tool.print(["event": "value", "revision": .integer(revision), "value": json])
    }
    lines(ValueText(schema, tool.palette, width: tool.width).lines(value, type), at: revision)
  }

  private func lines(_ lines: [String], at revision: UInt64) {
    tool.output.line(tool.palette.faint("── revision \(revision)"))
    for line in lines { tool.output.line(line) }
  }

  private func name(_ difference: SchemaValues.Difference) -> String {
    let whole = path + difference.path
    return whole.hasPrefix(".") ? String(whole.dropFirst()) : whole
  }

  func json(_ difference: SchemaValues.Difference) -> JSONValue {
    let json = { (value: CBORValue) in SchemaJSON(self.schema).json(of: value, as: difference.type) }
    var members = [JSONValue.Member("path", .string(name(difference)))]
    if let old = difference.old { members.append(.init("old", json(old))) }
    if let new = difference.new { members.append(.init("new", json(new))) }
    return .object(members)
  }

  /// Returns the elements of a collection in their old and new order, if only the order differs.
  private func order(
    _ old: CBORValue, _ new: CBORValue, _ type: SchemaType, _ values: SchemaValues, room: Int
  ) -> String? {
    guard let order = values.order(from: old, to: new, as: type) else { return nil }
    if let move = order.move { return ValueText.safe(move) }
    func part(_ names: [String]) -> String {
      let text = TextWidth.fit(names.joined(separator: " "), columns: max(room / 2, 12))
      return (order.isCutBefore ? "… " : "") + text + (order.isCutBehind ? " …" : "")
    }
    return "\(part(order.old)) \(tool.palette.faint("→")) \(part(order.new))"
  }

  func text(_ difference: SchemaValues.Difference) -> [String] {
    let (palette, width) = (tool.palette, tool.width ?? 100)
    let text = ValueText(schema, palette, width: nil)
    let name = ValueText.safe(name(difference))
    let room = max(width - name.count - 6, 30)
    func inline(_ value: CBORValue) -> String {
      if let short = text.inline(value, difference.type, room: room) { return short }
      // Writing a whole state for its first columns would take longer than everything else.
      let byteCount = value.encoded().count
      guard byteCount <= 1 << 16 else { return "a value of \(byteCount) bytes" }
      return TextWidth.fit("\(SchemaJSON(schema).json(of: value, as: difference.type))", columns: room)
    }
    func whole(_ value: CBORValue, after head: String) -> [String] {
      let isShort = text.inline(value, difference.type, room: room) != nil
      // A value of more bytes would push the other changes from the screen.
      guard !isShort, value.encoded().count <= 4096 else { return ["\(head) \(inline(value))"] }
      return [head] + text.lines(value, difference.type).map { "    \($0)" }
    }
    switch (difference.old, difference.new) {
    case (let old?, let new?):
      if let order = order(old, new, difference.type, text.values, room: room) {
        return ["  \(palette.name(name)): \(order)"]
      }
      return ["  \(palette.name(name)): \(inline(old)) \(palette.faint("→")) \(inline(new))"]
    case (nil, let new?): return whole(new, after: palette.good("+") + " \(palette.name(name)):")
    case (let old?, nil): return whole(old, after: palette.bad("-") + " \(palette.name(name)):")
    case (nil, nil): return []
    }
  }
}

nonisolated extension SchemaValues {
  /// The names of the elements of a collection in their old and new order, without the common beginning and end.
  struct Order {
    var old: [String]
    var new: [String]
    /// True if elements before or after these are omitted.
    var isCutBefore: Bool
    var isCutBehind: Bool

    /// The move of one element, in words; nil if more than one has moved.
    var move: String? {
      guard let first = old.first, let last = old.last else { return nil }
      if new.first == last, new.dropFirst() == old.dropLast() { return "moved \(last) before \(first)" }
      return new.last == first && new.dropLast() == old.dropFirst() ? "moved \(first) after \(last)" : nil
    }
  }

  /// Returns the old and new order of a collection; nil if its elements differ in anything but order.
  func order(from old: CBORValue, to new: CBORValue, as type: SchemaType) -> Order? {
    guard let olds = parts(of: old, as: type)?.map(\.name), olds.count > 1, olds[0].hasPrefix("["),
      let news = parts(of: new, as: type)?.map(\.name), olds.sorted() == news.sorted()
    else { return nil }
    let first = zip(olds, news).prefix { $0 == $1 }.count
    let last = zip(olds.reversed(), news.reversed()).prefix { $0 == $1 }.count
    guard first < olds.count else { return nil }
    return Order(
      old: Array(olds[first..<(olds.count - last)]), new: Array(news[first..<(news.count - last)]),
      isCutBefore: first > 0, isCutBehind: last > 0)
  }
}
