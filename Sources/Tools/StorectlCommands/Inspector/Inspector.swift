internal import EventLoop
internal import HTTPServer
internal import JSONText
internal import Journal
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

/// Serves the inspector's page and its requests.
///
/// The page polls: a poll waits until there is news, and further requests then fetch the parts that the page shows. A
/// slow page therefore receives fewer updates, and a closed page costs nothing.
final class Inspector {
  private let tool: Tool
  private let journal: InspectorJournal?
  private let changes = InspectorChanges()
  private let tree = InspectorTree()
  private var gate = InspectorGate()
  private lazy var link = InspectorLink(tool) { [weak self] in self?.changed() }
  private var server: HTTPServer?
  private var version: UInt64 = 1
  private var pollers: [(exchange: HTTPExchange, after: UInt64, since: Duration)] = []
  private var pollTimer: Timer?
  private var watchTimer: Timer?
  private var hasScheduled = false
  /// The last of the queued requests that read the history.
  private var historyTask: Task<Void, Never>?
  /// The number of requests in progress.
  private var pendingCount = 0
  /// The time of the last request from a page.
  private var lastRequest: Duration?
  private var onLink: ((String) -> Void)?
  /// The time without requests after which the inspector assumes that no page is open.
  private static let requestTimeout = Duration.seconds(20)
  /// The longest time without an answer to a poll. Only the answer reveals a lost connection.
  private static let silence = Duration.seconds(8)
  /// The timeout for connections of pages. Other connections end sooner, so that they cannot use up all of them.
  private static let idleSeconds: UInt32 = 60

  init(_ tool: Tool, journal: InspectorJournal?) {
    (self.tool, self.journal) = (tool, journal)
  }

  /// Serves until the tool is interrupted.
  ///
  /// - Parameter onLink: Called with the first link to the page, and with a new link after each use of one.
  func run(
    at address: HTTPAddress, _ pause: @escaping (Duration) async -> Void, onLink: @escaping (String) -> Void
  ) async throws(ToolFailure) {
    self.onLink = onLink
    do throws(UVError) {
      var limits = HTTPServer.Limits()
      (limits.connections, limits.connectionBytes, limits.mode) = (128, 96 * 1024, 0o600)
      pollTimer = try Timer(on: tool.loop) { [weak self] in self?.answerPollers() }
      watchTimer = try Timer(on: tool.loop) { [weak self] in self?.watch() }
      server = try HTTPServer(on: tool.loop, at: address, limits: limits) { [weak self] in self?.respond($0) }
    } catch {
      throw ToolFailure(.failed, "\(error)")
    }
    defer { close() }
    do throws(ToolFailure) {
      try await link.open()
    } catch {
      // The history is useful even without the hub.
      guard journal != nil, error.status == .unreachable else { throw error }
      tool.note(error.reason)
      tool.note("until the hub is there, the page shows only the journal")
    }
    announce()
    watchTimer?.start(after: .milliseconds(200), repeating: .milliseconds(200))
    await link.run(pause)
  }

  private func close() {
    watchTimer = nil
    pollTimer = nil
    server?.close()
    server = nil
  }

  private func announce() {
    switch server?.address {
    case .port(let port): onLink?("http://127.0.0.1:\(port)/#\(gate.token)")
    // The user forwards the socket; the browser must use this host name.
    case .path: onLink?("http://localhost/#\(gate.token)")
    case nil: break
    }
  }

  // MARK: News

  /// Records a change. Polls are answered shortly after, so that one answer covers many changes.
  private func changed() {
    version += 1
    compare()
    guard !hasScheduled, !pollers.isEmpty else { return }
    hasScheduled = true
    pollTimer?.start(after: .milliseconds(30))
  }

  private func answerPollers() {
    hasScheduled = false
    let waiting = pollers
    pollers = waiting.filter { $0.after >= version && !$0.exchange.isOver }
    for poller in waiting where poller.after < version { answer(poller.exchange, news(poller.exchange.request)) }
  }

  /// Reads the journal while a page is open.
  private func watch() {
    if pollers.contains(where: { tool.loop.now - $0.since >= Self.silence }) { changed() }
    if pendingCount > 0 { lastRequest = tool.loop.now }
    let isWatched = lastRequest.map { tool.loop.now - $0 < Self.requestTimeout } ?? false
    if !isWatched, link.wantsState { changes.forget() }
    link.wantsState = isWatched
    link.views?.detach(unusedSince: tool.loop.now - Self.requestTimeout)
    guard isWatched else { return }
    if let journal {
      if journal.refresh() { changed() }
    } else {
      let before = changes.lastNumber
      compare()
      if changes.lastNumber != before { changed() }
    }
  }

  /// Records the changes since the last comparison, if there is no journal.
  private func compare() {
    guard journal == nil, link.wantsState, let state = link.state else { return }
    changes.take(state.value, state.revision, state.schema, at: tool.loop.now) { tool.loop.preciseNow }
  }

  private func news(_ request: HTTPRequest) -> JSONValue {
    let seen = request.query["sample"].flatMap { Int($0) }.map { max($0, 0) } ?? 0
    let samples = link.samples.dropFirst(max(seen - link.firstSample, 0)).map { sample -> JSONValue in
      .array([
        .integer(sample.time), .integer(sample.rate.nearestInteger), .integer(sample.latency.microseconds),
        .integer(sample.clients), InspectorMetrics.values(of: sample.metrics),
      ])
    }
    let clients = Attendees(link.clientsValue).all
    return [
      "version": .integer(version), "hub": hub, "state": link.state.map { .integer($0.revision) } ?? .null,
      "loading": .bool(link.state == nil && link.hub != nil && !link.isRefused),
      "journal": journal.map { Self.json($0) } ?? .null, "changes": .integer(changes.lastNumber),
      "clients": ["count": .integer(clients.count), "shown": .array(clients.prefix(500).map { Self.json($0) })],
      "samples": .array(samples), "sample": .integer(link.firstSample + link.samples.count),
      "metrics": link.metrics.map { InspectorMetrics.json($0) } ?? .null,
      "scopes": link.metrics.map { Self.scopes($0) } ?? .null,
    ]
  }

  private var hub: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(link.hubName)), .init("socket", .string(tool.path)),
      .init("revision", .integer(link.revision)), .init("schema", link.schemaID.map { .string($0) } ?? .null),
    ]
    switch link.status {
    case .connecting: members.append(.init("status", "connecting"))
    case .live: members.append(.init("status", "live"))
    case .away(let reason, let since):
      members += [.init("status", "away"), .init("reason", .string(reason)), .init("since", .integer(since))]
    }
    return .object(members)
  }

  private static func json(_ journal: InspectorJournal) -> JSONValue {
    [
      "directory": .string(journal.directory), "base": .integer(journal.extent.base),
      "first": .integer(journal.firstRevision), "tail": .integer(journal.extent.tail),
      "revision": .integer(journal.extent.revision),
      "time": .integer(journal.extent.time), "problem": journal.problem.map { .string($0) } ?? .null,
    ]
  }

  private static func json(_ client: Attendee) -> JSONValue {
    [
      "id": .integer(client.id), "name": .string(client.name), "process": .string(client.processText),
      "node": .string(client.node),
      "user": .integer(client.user), "userName": userName(client.user).map { .string($0) } ?? .null,
      "since": client.since > 0 ? .integer(client.since) : .null, "heldBytes": .integer(client.heldBytes),
      "shownParts": .string(client.partsText),
    ]
  }

  private static func scopes(_ metrics: HubMetrics) -> JSONValue {
    [
      "count": .integer(metrics.subscriptions),
      "places": .array(
        metrics.places.map { ["name": .string($0.name), "subscribers": .integer($0.subscribers)] }),
    ]
  }

  // MARK: Requests

  private typealias Subject = (value: CBORValue, revision: UInt64, time: Int64?, schema: Schema)

  private func respond(_ exchange: HTTPExchange) {
    let request = exchange.request
    if let refusal = gate.refusal(of: request) { return exchange.answer(InspectorPage.guarded(refusal)) }
    if let file = InspectorPage.file(at: request.path) { return exchange.answer(file) }
    guard request.path.hasPrefix("/api/") else {
      return exchange.answer(InspectorPage.guarded(.text(404, "there is no such page\n")))
    }
    if request.path == "/api/open" {
      guard let key = gate.session(for: request) else { return refuse(exchange) }
      answer(exchange, ["session": .string(key)])
      return announce()
    }
    guard gate.isOpen(request) else { return refuse(exchange) }
    exchange.idleSeconds = Self.idleSeconds
    lastRequest = tool.loop.now
    link.wantsState = true
    if request.path == "/api/poll" { return poll(exchange) }
    pendingCount += 1
    // Requests that read the history run one at a time; the others do not wait for them.
    guard needsHistory(request) else {
      Task { await finish(exchange) }
      return
    }
    let before = historyTask
    historyTask = Task {
      await before?.value
      await finish(exchange)
    }
  }

  private func needsHistory(_ request: HTTPRequest) -> Bool {
    request.query["at"] != nil || ["/api/turn", "/api/diff"].contains(request.path) || link.state == nil
  }

  private func finish(_ exchange: HTTPExchange) async {
    defer { pendingCount -= 1 }
    do throws(ToolFailure) {
      answer(exchange, try await result(of: exchange.request))
    } catch {
      let status: UInt32 = error.status == .usage ? 400 : error.status == .absent ? 404 : 500
      exchange.answer(InspectorPage.json(["error": .string(error.reason)], status: status))
    }
  }

  private func answer(_ exchange: HTTPExchange, _ json: JSONValue) { exchange.answer(InspectorPage.json(json)) }

  private func refuse(_ exchange: HTTPExchange) {
    exchange.answer(
      InspectorPage.json(["error": "this link was used already, or is of another run of storectl inspect"], status: 401)
    )
  }

  private func poll(_ exchange: HTTPExchange) {
    let after = exchange.request.query["after"].flatMap { UInt64($0) } ?? 0
    guard after >= version else { return answer(exchange, news(exchange.request)) }
    pollers.append((exchange, after, tool.loop.now))
  }

  private func result(of request: HTTPRequest) async throws(ToolFailure) -> JSONValue {
    switch request.path {
    case "/api/tree": return try await treeNodes(request)
    case "/api/value": return try await wholeValue(request)
    case "/api/locate": return try await locate(request)
    case "/api/changes": return changes.json(after: Int(request.query["after"] ?? "") ?? 0)
    case "/api/schema": return try await schemaText(request)
    case "/api/turns":
      let count = min(max(Int(request.query["count"] ?? "") ?? 50, 1), 200)
      return try await history().turns(
        before: request.query["before"].flatMap { UInt64($0) }, count: count, filter: request.query["filter"] ?? "")
    case "/api/turn":
      return try await history().turn(
        at: try number(request, "position"), step: request.query["step"].flatMap { Int($0) } ?? 0)
    case "/api/at":
      return .object([.init("position", .integer(try history().position(of: number(request, "revision"))))])
    case "/api/diff": return try await history().difference(from: number(request, "from"), to: number(request, "to"))
    default: throw ToolFailure(.absent, "there is nothing at \(request.path)")
    }
  }

  private func history() throws(ToolFailure) -> InspectorJournal {
    guard let journal else { throw ToolFailure(.absent, "start storectl inspect with --state-dir to see the journal") }
    return journal
  }

  private func number(_ request: HTTPRequest, _ name: String) throws(ToolFailure) -> UInt64 {
    guard let number = request.query[name].flatMap({ UInt64($0) }) else {
      throw ToolFailure(.usage, "\(name) must be a number")
    }
    return number
  }

  /// Returns the state that a request refers to: the present state of the feature or the hub, or one of the history.
  private func subject(_ request: HTTPRequest) async throws(ToolFailure) -> Subject {
    if let text = request.query["at"] {
      guard let revision = UInt64(text) else { throw ToolFailure(.usage, "at must be a revision") }
      let past = try await history().state(atRevision: revision)
      return (past.value, past.revision, past.time, past.schema)
    }
    guard let state = link.state else {
      if let journal, link.hub == nil {
        let past = try await journal.state(at: journal.extent.tail)
        return (past.value, past.revision, past.time, past.schema)
      }
      let isRefused = link.isRefused
      throw ToolFailure(
        .absent, isRefused ? "the hub does not show you its whole state" : "the hub's state has not arrived yet")
    }
    return (state.value, state.revision, nil, state.schema)
  }

  private func treeNodes(_ request: HTTPRequest) async throws(ToolFailure) -> JSONValue {
    guard let windows = InspectorTree.windows(request.query["open"] ?? "[]") else {
      throw ToolFailure(.usage, "open must be a list of places")
    }
    // The past has no views.
    let views = request.query["at"] == nil ? link.views : nil
    let subject: Subject
    do throws(ToolFailure) { subject = try await self.subject(request) } catch {
      // A user may have the right to views alone.
      guard link.isRefused, let views, !views.names.isEmpty else { throw error }
      subject = (.map([]), link.revision, nil, Schema(state: Never.self, action: Never.self))
    }
    return [
      "revision": .integer(subject.revision), "time": subject.time.map { .integer($0) } ?? .null,
      "nodes": .array(windows.prefix(InspectorTree.nodeLimit).map { node($0, of: subject, views) }),
    ]
  }

  private func node(_ window: InspectorTree.Window, of subject: Subject, _ views: InspectorViews?) -> JSONValue {
    if let name = window.place.first, name.hasPrefix(RootedPath.viewPrefix) {
      guard let view = views?.value(of: name, at: tool.loop.now) else { return .null }
      let within = InspectorTree.Window(place: Array(window.place.dropFirst()), first: window.first)
      return tree.node(within, of: view.value, view.type, view.schema)
    }
    let more = window.place.isEmpty ? views?.names ?? [] : []
    return tree.node(window, of: subject.value, subject.schema.state, subject.schema, more: more)
  }

  /// Returns a part as JSON, as `storectl state --json` prints it; throws if it is too large for a page.
  private func wholeValue(_ request: HTTPRequest) async throws(ToolFailure) -> JSONValue {
    guard let place = InspectorTree.windows("[[\(request.query["place"] ?? "[]"),0]]")?.first?.place else {
      throw ToolFailure(.usage, "place must be a list of names")
    }
    let (schema, part) = try await part(at: place, request)
    let values = SchemaValues(schema)
    guard values.elementCount(of: part.value, as: part.type) ?? 0 <= 10_000 else {
      throw ToolFailure(.usage, "this is too large for a page; `storectl state PATH --json` prints it")
    }
    let text = "\(SchemaJSON(schema).json(of: part.value, as: part.type))"
    let limit = 200_000
    return [
      "type": .string(SchemaText.name(of: part.type, in: schema)), "text": .string(String(text.prefix(limit))),
      "isWhole": .bool(text.utf8.count <= limit),
    ]
  }

  private func part(
    at place: InspectorTree.Place, _ request: HTTPRequest
  ) async throws(ToolFailure) -> (Schema, SchemaValues.Part) {
    if let name = place.first, name.hasPrefix(RootedPath.viewPrefix) {
      guard let view = link.views?.value(of: name, at: tool.loop.now),
        let part = tree.part(
          at: Array(place.dropFirst()), of: view.value, view.type, SchemaValues(view.schema))
      else { throw ToolFailure(.absent, "nothing is there") }
      return (view.schema, part)
    }
    let subject = try await subject(request)
    guard let part = tree.part(at: place, of: subject.value, subject.schema.state, SchemaValues(subject.schema)) else {
      throw ToolFailure(.absent, "nothing is there")
    }
    return (subject.schema, part)
  }

  /// The windows to open for a path into a view; only the view itself while its value is not here. Nil for other paths.
  private func windows(toView path: String) -> [InspectorTree.Window]? {
    guard let views = link.views, let (name, rest) = views.split(path) else { return nil }
    guard let view = views.value(of: name, at: tool.loop.now) else {
      return [.init(place: []), .init(place: [name])]
    }
    let within = tree.locate(
      rest.hasPrefix(".") ? String(rest.dropFirst()) : String(rest), in: view.value, view.type,
      SchemaValues(view.schema))
    return within.map { found in
      [.init(place: [])] + found.map { .init(place: [name] + $0.place, first: $0.first) }
    }
  }

  private func locate(_ request: HTTPRequest) async throws(ToolFailure) -> JSONValue {
    let path = request.query["path"] ?? ""
    var windows = windows(toView: path)
    if windows == nil {
      let subject = try await subject(request)
      windows = tree.locate(path, in: subject.value, subject.schema.state, SchemaValues(subject.schema))
    }
    guard let windows else { throw ToolFailure(.absent, "nothing is at '\(path)'") }
    return [
      "open": .array(
        windows.map { .array([.array($0.place.map { .string($0) }), .integer($0.first)]) })
    ]
  }

  private func schemaText(_ request: HTTPRequest) async throws(ToolFailure) -> JSONValue {
    let schema = if let schema = link.schema { schema } else { try await subject(request).schema }
    let documentation = schema == link.schema ? link.documentation : SchemaDocumentation()
    let text = SchemaText(schema: schema, documentation: documentation, palette: Palette(isOn: false))
    return [
      "state": .string(schema.name(of: schema.state)), "action": .string(schema.name(of: schema.action)),
      "lines": .array(text.lines(schema.definitions.indices).map { .string($0) }),
    ]
  }
}
