/// A stream of the states of a view store, or of one of their properties.
@dynamicMemberLookup
public struct StorePublisher<State>: Publisher {
  /// The values of the stream.
  public typealias Output = State
  /// The stream cannot fail.
  public typealias Failure = Never
  private let upstream: AnyPublisher<State, Never>

  /// Creates a publisher of the states of a stream.
  package init(upstream: AnyPublisher<State, Never>) {
    self.upstream = upstream
  }

  /// Subscribes an observer. It receives the current value first.
  public func receive(observer: StreamObserver<State, Never>) { upstream.receive(observer: observer) }

  /// A stream of a property of the states, without duplicates.
  public subscript<LocalState: Equatable>(
    dynamicMember keyPath: KeyPath<State, LocalState>
  ) -> StorePublisher<LocalState> {
    StorePublisher<LocalState>(upstream: upstream.map(keyPath).removeDuplicates())
  }
}
