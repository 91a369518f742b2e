internal import ReplicaCore
internal import SchemaNames
internal import Wire

/// The views that pages show. Each is attached while a page asks for it.
final class InspectorViews {
  /// The value of a view.
  struct Value {
    let value: CBORValue
    let type: SchemaType
    let schema: Schema
    let revision: UInt64
  }

  private struct Attached {
    let scope: HubConnection.Scope
    var lastRequest: Duration
  }

  /// A hub ends the connection of a client that attaches too many.
  private static let limit = 8
  private let hub: HubConnection
  private let schema: Schema
  private let onChange: () -> Void
  private var attached: [String: Attached] = [:]

  init(_ hub: HubConnection, _ schema: Schema, onChange: @escaping () -> Void) {
    (self.hub, self.schema, self.onChange) = (hub, schema, onChange)
  }

  /// The names of the views, as the first step of a place; those with a parameter are found by a path only.
  var names: [String] { schema.views.filter { !$0.hasParameter }.map { RootedPath.viewPrefix + $0.name } }

  /// Splits a path that a user typed after the name of its view and its parameter; nil if there is no such view.
  func split(_ path: String) -> (name: String, rest: Substring)? {
    guard let path = RootedPath.viewPath(in: path),
      let view = schema.views.filter({ path.hasPrefix($0.name) }).max(by: { $0.name.count < $1.name.count })
    else { return nil }
    var end = path.index(path.startIndex, offsetBy: view.name.count)
    guard view.hasParameter else { return (RootedPath.viewPrefix + view.name, path[end...]) }
    while let next = path[end...].firstIndex(of: "]") {
      end = path.index(after: next)
      let name = String(path[..<end])
      if (try? schema.path(named: name)) != nil { return (RootedPath.viewPrefix + name, path[end...]) }
    }
    return nil
  }

  /// Returns the value of a view by the first step of a place; nil until the hub has sent it.
  func value(of name: String, at now: Duration) -> Value? {
    if attached[name] == nil {
      guard let path = RootedPath.viewPath(in: name).flatMap({ try? schema.path(named: $0) }),
        let scope = hub.followView(path, onChange: onChange)
      else { return nil }
      makeRoom()
      attached[name] = Attached(scope: scope, lastRequest: now)
    }
    attached[name]?.lastRequest = now
    guard let mirror = attached[name]?.scope.mirror, let value = mirror.value, let (schema, type) = mirror.type,
      let revision = mirror.revision
    else { return nil }
    return Value(value: value, type: type, schema: schema, revision: revision)
  }

  private func makeRoom() {
    guard attached.count >= Self.limit, let oldest = attached.min(by: { $0.value.lastRequest < $1.value.lastRequest })
    else { return }
    detach(oldest.key)
  }

  /// Detaches the views that no page has asked for since a time.
  func detach(unusedSince time: Duration) {
    for (name, view) in attached where view.lastRequest < time { detach(name) }
  }

  private func detach(_ name: String) {
    guard let view = attached.removeValue(forKey: name) else { return }
    hub.unfollow(view.scope)
  }
}

extension Schema {
  /// The views of a schema of views.
  fileprivate var views: [(name: String, hasParameter: Bool)] {
    guard case .definition(let index) = state, case .fields(let fields) = definitions[index].content else { return [] }
    return fields.map { field in
      if case .named("View", _) = field.type { (field.name, true) } else { (field.name, false) }
    }
  }
}
