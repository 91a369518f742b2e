/// Senders that wait for room among the pending actions, in order.
///
/// A sender that is woken gets its place reserved, so that it finds it, and no more are woken than there are places.
struct RoomQueue {
  private struct Sender {
    let number: UInt64
    let byteCount: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private var senders: [Sender] = []
  private var nextNumber: UInt64 = 0
  private(set) var reservedCount = 0
  private(set) var reservedByteCount = 0

  var isEmpty: Bool { senders.isEmpty }

  /// Returns a number for a sender.
  mutating func number() -> UInt64 {
    nextNumber += 1
    return nextNumber
  }

  mutating func append(_ number: UInt64, byteCount: Int, _ continuation: CheckedContinuation<Void, any Error>) {
    senders.append(Sender(number: number, byteCount: byteCount, continuation: continuation))
  }

  /// Ends the wait of a sender whose task was cancelled.
  mutating func cancel(_ number: UInt64) {
    guard let index = senders.firstIndex(where: { $0.number == number }) else { return }
    senders.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  /// Wakes the first senders for which there is room.
  mutating func wake(while hasRoom: (_ reserved: (count: Int, bytes: Int)) -> Bool) {
    var woken = 0
    while woken < senders.count, hasRoom((reservedCount, reservedByteCount)) {
      reservedCount += 1
      reservedByteCount += senders[woken].byteCount
      senders[woken].continuation.resume()
      woken += 1
    }
    senders.removeFirst(woken)
  }

  /// Gives the place back that a woken sender takes now.
  mutating func release(byteCount: Int) {
    reservedCount -= 1
    reservedByteCount -= byteCount
  }
}
