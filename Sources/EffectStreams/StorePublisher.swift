/// The states of a view store, or a property of them.
@dynamicMemberLookup
public struct StorePublisher<State>: Publisher {
  /// The values of the stream.
  public typealias Output = State
  /// The stream cannot fail.
  public typealias Failure = Never
  private let upstream: AnyPublisher<State, Never>

  /// The states of a stream.
  package init(upstream: AnyPublisher<State, Never>) {
    self.upstream = upstream
  }

  /// Begins to send values to an observer, the current one first.
  public func receive(observer: StreamObserver<State, Never>) { upstream.receive(observer: observer) }

  /// A property of the states, without duplicates.
  public subscript<LocalState: Equatable>(
    dynamicMember keyPath: KeyPath<State, LocalState>
  ) -> StorePublisher<LocalState> {
    StorePublisher<LocalState>(upstream: upstream.map(keyPath).removeDuplicates())
  }
}
