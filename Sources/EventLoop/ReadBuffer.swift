/// The buffer of all streams of a loop, lent to one callback at a time.
@safe package nonisolated final class ReadBuffer: @unchecked Sendable {
  // Safe: the memory lives as long as the object, and outside this module its bytes are lent for a call only.
  // Sendable: only the loop's thread writes. Another thread may read what a loop that does not turn any more has read
  // last; while the loop turns, it may see parts of two reads.

  /// The size of the buffer, and thus the maximum size of one read.
  package static let byteCount = 64 * 1024

  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
  /// The number of bytes of the last read. In memory of its own, so that the loop writes it without a reference.
  let lastCount = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  /// The offset of the first message that begins in the last read, which the receiver stores before it handles the bytes.
  /// What precedes it belongs to a message whose beginning was read earlier.
  package let lastStart = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  /// The loop's `activity`.
  let activity = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

  init() {
    unsafe lastCount.initialize(to: 0)
    unsafe lastStart.initialize(to: 0)
    unsafe activity.initialize(to: false)
  }

  deinit {
    unsafe bytes.deallocate()
    unsafe lastCount.deallocate()
    unsafe lastStart.deallocate()
    unsafe activity.deallocate()
  }

  /// The bytes of the last read on any stream, overwritten by the next one, and the offset of the first message that
  /// begins in them, which is at most their number.
  package func withLastRead<Result>(_ body: (RawSpan, _ start: Int) -> Result) -> Result {
    let count = unsafe lastCount.pointee
    let read = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count])
    return unsafe body(read.bytes, min(lastStart.pointee, count))
  }
}
