import Wire

/// A limit that an attachment would exceed.
enum ScopeLimit: Equatable {
  /// The scopes of a connection.
  case scopes
  /// The views of a connection, and of all connections of a user.
  case views, viewsPerUser
  /// The elements of the windows of a connection.
  case windowElements(added: Int)
  /// The elements of the windows of all connections of a user.
  case windowElementsPerUser(added: Int, used: Int)
}

/// Why a scope is not attached, although the connection goes on.
enum ScopeRefusal: Equatable {
  case limit(ScopeLimit)
  /// The parameter of a view has this number of bytes.
  case longParameter(view: String, byteCount: Int)
  /// The path to a view with a parameter has none, or no value of its type in the schema.
  case otherParameter(reason: String)
  /// The decoder of a view's parameter refuses its value.
  case unreadableParameter(view: String, reason: String)
}

/// A scope that was not attached, whose client does not know it yet.
struct RefusedScope: Equatable {
  /// The number that the client has chosen; in use until the client was told.
  let number: UInt16
  let refusal: ScopeRefusal

  /// The memory for which the client's user is charged until the client was told: this value, and what is stored beside
  /// it.
  var chargedBytes: Int {
    switch refusal {
    case .limit, .longParameter: Self.chargedBytes
    case .otherParameter(let reason), .unreadableParameter(_, let reason): Self.chargedBytes + reason.utf8.count
    }
  }

  /// The same without a reason that is stored.
  static var chargedBytes: Int { 128 }
}

/// Why a request has no place.
enum PlaceError: Error {
  /// A client that sends it does not know the hub's schema: the connection ends.
  case unknown(PeerError)
  /// Only this scope is refused.
  case refused(ScopeRefusal)
}

// A limit of scopes, views or windows, or a parameter of a view, concerns the attachment that has it, and no other one of
// the connection: it is answered by *absent* with the reason, for clients that know no more than that, and by *detached*
// with the code.

extension HubCore {
  /// The number of refused scopes of one connection whose client has not been told. Beyond it, the connection is closed.
  static var refusedScopeLimit: Int { 1024 }

  /// The limit that an attachment would exceed, of those of views and windows; nil if there is none.
  func limitExceeded(by request: Attach, of connection: LiveConnection) -> ScopeLimit? {
    let elements = request.path.windowElements
    if elements > 0 {
      let attached = connection.scopes.reduce(0) { $0 + $1.windowElements }
      guard elements <= limits.windowElements - attached else { return .windowElements(added: elements) }
      let (charge, charged) = (LiveConnection.Scope.windowCharge(elements), connection.account.windowElements)
      guard charge <= limits.windowElementsPerUser - charged else {
        return .windowElementsPerUser(added: charge, used: charged)
      }
    }
    guard request.root == .views else { return nil }
    guard connection.scopes.count(where: \.isInView) < limits.views else { return .views }
    return connection.account.viewCount < limits.viewsPerUser ? nil : .viewsPerUser
  }

  /// Refuses an attachment. The connection and its other scopes go on, unless its client does not read what it is told.
  mutating func refuse(_ number: UInt16, _ refusal: ScopeRefusal, of connection: LiveConnection, at now: Duration) {
    let reason = refusal.reason(limits)
    guard connection.replies.refused.count < Self.refusedScopeLimit else {
      return fail(connection.id, PeerError(.tooManyScopes, reason), at: now)
    }
    report(.scopeRefused(connection.id, connection.peer, PeerError(refusal.code, reason)))
    connection.replies.append(RefusedScope(number: number, refusal: refusal))
    outputs.wake(connection)
  }
}

extension RefusedScope {
  /// Writes the answer to the attachment.
  func write(_ limits: HubLimits, to writer: inout FrameWriter) {
    // No revision: the client has not seen the part.
    writer.frame(FrameHeader(kind: .absent, scope: number)) { $0.text(refusal.reason(limits)) }
    writer.frame(FrameHeader(kind: .detached, scope: number), number: refusal.code.rawValue)
  }
}

extension ScopeRefusal {
  /// The code with which the client can tell what has room later from what this hub never attaches.
  fileprivate var code: PeerErrorCode {
    switch self {
    case .limit: .tooManyScopes
    case .longParameter, .otherParameter, .unreadableParameter: .unknownScope
    }
  }

  /// Why an attachment is refused, and what to do, for users.
  fileprivate func reason(_ limits: HubLimits) -> String {
    switch self {
    case .limit(let limit): limit.reason(limits)
    case .longParameter(let view, let byteCount):
      "the parameter of 'view:\(view)' has \(byteCount) bytes; this hub takes \(ViewReference.parameterLimit)"
    case .otherParameter(let reason): reason
    case .unreadableParameter(let view, let reason): "the parameter of 'view:\(view)' is refused: \(reason)"
    }
  }
}

extension ScopeLimit {
  /// Why an attachment is refused, and what to do, for users.
  fileprivate func reason(_ limits: HubLimits) -> String {
    switch self {
    case .scopes:
      """
      this hub lets a connection attach \(limits.scopes) scopes; detach one first, or raise the limit 'scopes' in the \
      hub's configuration
      """
    case .views:
      """
      this hub lets a connection attach \(limits.views) views; detach one first, or raise the limit 'views' in the \
      hub's configuration
      """
    case .viewsPerUser:
      """
      this hub lets all connections of a user attach \(limits.viewsPerUser) views; detach others first, or raise the \
      limit 'views-per-user' in the hub's configuration
      """
    case .windowElements(let added):
      """
      this hub lets the windows of a connection have \(limits.windowElements) elements in all, and this one would add \
      \(added); detach one first, or attach a smaller one
      """
    case .windowElementsPerUser(let added, let used):
      """
      this hub lets the windows of all connections of a user have \(limits.windowElementsPerUser) elements, \(used) are \
      in use, and this one would add \(added); detach others first, or raise the limit 'window-elements-per-user' in the \
      hub's configuration
      """
    }
  }
}
