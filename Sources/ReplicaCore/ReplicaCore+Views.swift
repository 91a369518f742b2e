public import Wire

/// A view that a subscription is for.
struct SubscribedView {
  /// Its name and parameter.
  var reference: ViewReference
  /// The schema of its value, as the state: that of the compiled type, or for tools that of the first hub.
  var schema: Schema?
}

/// What a replica knows of the views that its hub's feature declares.
struct HubViews {
  /// The fingerprint of their schema on this hub; nil if it declares none.
  private(set) var fingerprint: SchemaFingerprint?
  /// The schema, once it was received.
  private(set) var schema: Schema?
  private(set) var documentation = SchemaDocumentation()
  /// True if it was requested on this connection.
  var isRequested = false
  /// True if it is wanted without a subscription.
  var areWanted = false

  /// Notes what the welcome of a connection says.
  mutating func begin(with fingerprint: SchemaFingerprint?) {
    if fingerprint != self.fingerprint { (schema, documentation) = (nil, SchemaDocumentation()) }
    (self.fingerprint, isRequested) = (fingerprint, false)
  }

  mutating func received(_ documented: DocumentedSchema) {
    (schema, documentation) = (documented.schema, documented.documentation)
  }
}

extension ReplicaCore {
  /// Subscribes a mirror to a view, or to a part of one. It gets a value once a hub is connected whose feature declares
  /// the view; `refusal(of:)` tells why it has none.
  ///
  /// - Parameters:
  ///   - mirror: A mirror without a value and without another subscription.
  ///   - view: The view.
  ///   - path: The steps from its value to the part, by the keys of `schema`.
  ///   - schema: The schema of the view's value, as the state; nil for a tool that uses the hub's.
  ///   - context: An object of the shell's choice, which is returned with the changes.
  public mutating func subscribe(
    _ mirror: any Mirror, to view: ViewReference, at path: [PathStep] = [], schema: Schema?, context: AnyObject? = nil
  ) {
    let subscribed = SubscribedView(reference: view, schema: schema)
    add(Subscription(mirror, root: .views, path: path, view: subscribed, context: context))
  }

  /// Moves the subscription of a mirror to another part, or to the value for another parameter, of its view. The mirror
  /// keeps its value until the other one arrives.
  public mutating func move(_ mirror: any Mirror, to view: ViewReference, at path: [PathStep]) {
    guard let subscription = subscriptions.first(where: { $0.mirror === mirror }), let old = subscription.view,
      old.reference != view || subscription.path != path
    else { return }
    subscription.view?.reference = view
    subscription.path = path
    reattach(subscription)
  }

  /// Requests the schema of the views, also on later connections; `viewSchema` has it when the hub has answered.
  public mutating func wantViews() {
    views.areWanted = true
    if case .open = link { requestViews() }
  }

  /// The schema of the views that the hub's feature declares, as a struct with a field for each; nil before it was
  /// received, and for a hub without views.
  public var viewSchema: Schema? { views.schema }

  /// The comments of the types of the views, if the options request them.
  public var viewDocumentation: SchemaDocumentation { views.documentation }

  /// True if the feature of the connected hub declares views.
  public var hubDeclaresViews: Bool { views.fingerprint != nil }

  mutating func requestViews() {
    guard views.fingerprint != nil, views.schema == nil, !views.isRequested else { return }
    views.isRequested = true
    let header = FrameHeader(kind: .describe, flags: schemaFlags, scope: UInt16(StateRoot.views.rawValue))
    commands.append(.write(output.frame(header) { _ in }))
  }

  /// Receives the schema of the views, and attaches those that have waited for it.
  mutating func receiveViews(_ header: FrameHeader, _ payload: RawSpan, on open: OpenLink) throws(WireError) {
    guard header.scope == UInt16(StateRoot.views.rawValue), views.isRequested, views.schema == nil else { return }
    if header.flags & DocumentedSchema.flag != 0 {
      views.received(try DocumentedSchema(decoding: payload))
    } else {
      views.received(DocumentedSchema(try Schema(decoding: payload), SchemaDocumentation()))
    }
    for subscription in subscriptions where subscription.view != nil && subscription.attachment == nil {
      attach(subscription, known: subscription.base, on: open)
    }
    becomeLiveIfComplete()
  }

  /// Attaches a part of a view, as soon as the schema of the views is known.
  mutating func attach(
    _ subscription: Subscription, in view: SubscribedView, known: UInt64?, on open: OpenLink
  ) {
    guard views.fingerprint != nil else {
      let reason = "this hub's feature declares no views, or the hub is of an older release"
      return refuse(subscription, .unknownScope, reason)
    }
    guard let schema = views.schema else { return requestViews() }
    if let refusal = refusal(ofWindowAt: subscription.path, on: open) {
      return refuse(subscription, .tooManyScopes, refusal)
    }
    do throws(ViewRefusal) {
      let (path, translation) = try place(of: view, subscription, in: schema)
      subscription.refusal = nil
      request(
        subscription, path, translation.mapping, isExact: translation.isExact, known: known, on: open)
    } catch {
      refuse(subscription, error.code, error.reason)
    }
  }

  /// Finds the part that a subscription is for among the hub's views.
  private func place(
    of view: SubscribedView, _ subscription: Subscription, in schema: Schema
  ) throws(ViewRefusal) -> (path: [PathStep], (mapping: SchemaMapping?, isExact: Bool)) {
    let prefix: [PathStep]
    let theirs: Schema
    do throws(SchemaPathError) {
      prefix = try schema.path(of: view.reference)
      theirs = try schema.rooted(at: prefix)
    } catch { throw ViewRefusal("\(error)") }
    let ours = view.schema ?? theirs
    subscription.view?.schema = ours
    let translation = try translation(from: theirs, to: ours, of: view)
    let (steps, mapping): ([PathStep], SchemaMapping?)
    do throws(SchemaPathError) {
      try subscription.mirror.attach(ours, at: subscription.path)
      steps = try translation?.paths.mapPath(subscription.path) ?? subscription.path
      mapping = try translation?.state?.part(at: steps)
    } catch { throw ViewRefusal("\(view.reference) has no such part: \(error)") }
    guard rights?.permitAttachingView(prefix + steps) ?? true else {
      throw ViewRefusal("this user may not read \(view.reference); the hub's operator can grant it", .notPermitted)
    }
    return (prefix + steps, (mapping, translation == nil))
  }

  private func translation(
    from theirs: Schema, to ours: Schema, of view: SubscribedView
  ) throws(ViewRefusal) -> Translation? {
    // A hub describes all of its views together.
    if ours.compacted() == theirs.compacted() { return nil }
    let compatibility = ours.compatibility(with: theirs)
    if case .incompatible(let difference) = compatibility { throw ViewRefusal(Self.otherType(view, difference)) }
    let byName = takesSchemaFromHub || compatibility == .compatibleByName
    do throws(SchemaMismatch) { return try Translation(from: theirs, to: ours, byName: byName) } catch {
      throw ViewRefusal(Self.otherType(view, error.description))
    }
  }

  private static func otherType(_ view: SubscribedView, _ difference: String) -> String {
    "\(view.reference) has another type on this hub: \(difference)"
  }
}

/// The reason why a view cannot be attached.
private struct ViewRefusal: Error {
  let reason: String
  let code: PeerErrorCode

  init(_ reason: String, _ code: PeerErrorCode = .unknownScope) { (self.reason, self.code) = (reason, code) }
}
