internal import ComposableCore
internal import ReplicaCore
internal import Sharing
internal import Wire

/// A part of a shared model on the loop's thread: it passes the changes of one reference to the hub, and the hub's value,
/// with the changes that are pending, to the reference.
@MainActor final class PartMirror<Model: Replicated, Value: Replicated & Sendable> {
  private let path: [PathStep]
  private let source: any ModelSource<Model>
  private var attachment: Attachment<Value, PartChange<Model>>?
  private var connection: ConnectionObserver?
  private var subscriber: SharedSubscriber<Value>?
  private var shown = Shown.nothing
  /// True if the reference was told that it is loading.
  private var isShownAsLoading = false
  /// True while the changes of several fields are sent, of which the value has some only.
  private var isSending = false
  /// The requests to load, which wait for the hub.
  private var loads: [LoadContinuation<Value>] = []
  private var saves = SaveRequests()

  /// The part of the hub's value that the reference shows.
  private enum Shown {
    /// It shows its initial value, or one that another connection has left.
    case nothing
    /// It shows its initial value, because the part does not exist.
    case absence
    case value(Value)
  }

  nonisolated init(_ path: [PathStep], of source: any ModelSource<Model>) {
    (self.path, self.source) = (path, source)
  }

  /// The hub's value with the pending changes; nil if it is unknown, or if the part does not exist.
  private var value: Value? { attachment?.value }

  /// True if the hub's value is known and follows the hub.
  private var isLive: Bool {
    guard let attachment, source.connection == .live else { return false }
    return attachment.isKnown && !attachment.lacksPendingActions
  }

  // MARK: The reference

  func load(_ context: LoadContext<Value>, _ continuation: LoadContinuation<Value>) {
    // The subscription, which follows, delivers the value.
    guard case .userInitiated = context else { return continuation.resumeReturningInitialValue() }
    attach()
    loads.append(continuation)
    answerLoads()
  }

  func subscribe(_ subscriber: SharedSubscriber<Value>) {
    self.subscriber = subscriber
    attach()
    if isLive { show(evenIfEqual: false) } else { showConnection() }
  }

  func save(
    _ changes: [PartChange<Model>], as value: Value, isRequest: Bool, isDelayed: Bool, _ continuation: SaveContinuation
  ) {
    guard !changes.isEmpty else {
      if isRequest { saves.add(continuation)?.resume() } else { continuation.resume() }
      // The reference has passed over values of the hub while this was queued.
      if attachment != nil { shown = .value(value) }
      return show(evenIfEqual: isDelayed)
    }
    let attachment = attach()
    shown = .value(value)
    let change = saves.beginChange()
    isSending = true
    let tasks = changes.map { attachment.send($0) }
    isSending = false
    Task {
      var failure: (any Error)?
      for task in tasks {
        do { try await task.taken() } catch { failure = failure ?? error }
      }
      ended(change, continuation, failure)
    }
    show(evenIfEqual: isDelayed)
  }

  /// Ends the subscription. Changes that were saved are still sent.
  func end() {
    (subscriber, connection, shown) = (nil, nil, .nothing)
    guard let attachment else { return }
    attachment.onValue = nil
    source.detach(attachment)
    self.attachment = nil
  }

  private func ended(_ change: UInt64, _ continuation: SaveContinuation, _ error: (any Error)?) {
    let requests = saves.endChange(change, error)
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    for request in requests { request.resume() }
    if saves.pendingCount == 0 { show(evenIfEqual: false) }
  }

  // MARK: The hub

  @discardableResult
  private func attach() -> Attachment<Value, PartChange<Model>> {
    if let attachment { return attachment }
    let attachment = source.attach(to: path, as: Value.self)
    self.attachment = attachment
    // This object lives until `end`, also if nothing but a request to load refers to it.
    attachment.onValue = { self.valueChanged() }
    let connection = ConnectionObserver { self.connectionChanged() }
    source.observeConnection(connection)
    self.connection = connection
    return attachment
  }

  private func valueChanged() {
    answerLoads()
    show(evenIfEqual: false)
  }

  private func connectionChanged() {
    answerLoads()
    if isLive { show(evenIfEqual: true) } else { showConnection() }
  }

  private func answerLoads() {
    guard !loads.isEmpty else { return }
    let result: Result<Value?, any Error>
    if isLive {
      result = .success(value)
    } else if let failure = connectionFailure, failure.isFinal {
      result = .failure(failure)
    } else {
      return
    }
    let loads = loads
    self.loads = []
    for load in loads { load.resume(with: result) }
    if subscriber == nil { end() }
  }

  /// Passes the value to the reference if it has another one.
  ///
  /// - Parameter evenIfEqual: True if the reference may have another value than `shown`.
  private func show(evenIfEqual: Bool) {
    // If it lacks changes of the reference, a complete value follows.
    guard !isSending, let subscriber, let attachment, attachment.isKnown, !attachment.lacksPendingActions else {
      return
    }
    let mustShow = evenIfEqual || isShownAsLoading
    switch (value, shown) {
    case (nil, _) where saves.pendingCount > 0: return  // The hub decides what becomes of the change.
    case (nil, .absence) where !mustShow: return
    case (nil, _):
      shown = .absence
      subscriber.yieldReturningInitialValue()
    case (let value?, .value(let last)) where !mustShow && !value.differs(from: last): return
    case (let value?, _):
      shown = .value(value)
      subscriber.yield(value)
    }
    isShownAsLoading = false
    if !isLive { showConnection() }
  }

  private func showConnection() {
    guard let subscriber else { return }
    isShownAsLoading = true
    guard let failure = connectionFailure else { return subscriber.yieldLoading() }
    if failure.isFinal { subscriber.yield(throwing: failure) } else { subscriber.yieldUnavailable(failure) }
  }

  private var connectionFailure: HubUnavailable? {
    switch source.connection {
    case .live, .connecting(_, nil): nil
    case .connecting, .stale: HubUnavailable(reason: source.connectionNotice ?? "waiting for the hub", isFinal: false)
    case .refused: HubUnavailable(reason: source.connectionNotice ?? "the hub refused this client", isFinal: true)
    case .closed: HubUnavailable(reason: "the client of the hub was closed", isFinal: true)
    }
  }
}

/// The reason why a shared value is not up to date: the `loadError` of `@Shared(.hub(…))`.
public nonisolated struct HubUnavailable: Error, Equatable, CustomStringConvertible {
  /// A sentence for the program's user.
  public let reason: String
  /// True if the client does not try again: it was refused or closed.
  public let isFinal: Bool

  public var description: String { reason }
}
