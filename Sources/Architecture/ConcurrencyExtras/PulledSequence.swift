internal import Synchronization

/// A sequence's iterator for one reader at a time.
///
/// The iterator is created at first use, and moved out while it works: a second concurrent reader receives the end of
/// the sequence and does not access it.
final class PulledSequence<S: AsyncSequence & Sendable>: Sendable {
  private enum Source {
    case sequence(S)
    case iterator(UncheckedSendable<S.AsyncIterator>)
    case busyOrOver
  }

  private let source: Mutex<Source>

  init(_ sequence: S) {
    source = Mutex(.sequence(sequence))
  }

  func next() async throws -> S.Element? {
    let taken = source.withLock { source in
      defer { source = .busyOrOver }
      return source
    }
    var iterator: S.AsyncIterator
    switch taken {
    case .sequence(let sequence): iterator = sequence.makeAsyncIterator()
    case .iterator(let box): iterator = box.value
    case .busyOrOver: return nil
    }
    guard let element = try await iterator.next() else { return nil }
    let box = UncheckedSendable(iterator)
    source.withLock { $0 = .iterator(box) }
    return element
  }
}
