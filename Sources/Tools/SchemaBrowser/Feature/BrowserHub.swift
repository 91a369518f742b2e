package import Dependencies
package import Wire

/// The connection of a browser to its hub.
package struct BrowserHub: Sendable {
  /// Sends an action, and returns when it has taken effect; throws the reason why it has not.
  package var send: @Sendable (CBORValue) async throws -> Void

  package init(send: @escaping @Sendable (CBORValue) async throws -> Void) { self.send = send }
}

extension BrowserHub: DependencyKey {
  package static let liveValue = BrowserHub { _ in throw NotConnected() }
  package static var testValue: BrowserHub { liveValue }

  private struct NotConnected: Error, CustomStringConvertible {
    var description: String { "not sent: there is no hub" }
  }
}

extension DependencyValues {
  /// The hub to which a browser sends actions.
  package var browserHub: BrowserHub {
    get { self[BrowserHub.self] }
    set { self[BrowserHub.self] = newValue }
  }
}
