internal import Synchronization

/// A sequence's iterator that one reader at a time may ask.
///
/// The iterator is made when it is first asked, and is taken out while it works: a second reader at the same moment
/// is told that the sequence is over instead of touching it.
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
