/// The buffer of all streams of a loop, lent to one callback at a time.
package nonisolated final class ReadBuffer: @unchecked Sendable {
  // Sendable: only the loop's thread writes. Another thread may read what a loop that does not turn any more has read
  // last; while the loop turns, it may see parts of two reads.

  /// The size of the buffer, and thus the maximum size of one read.
  package static let byteCount = 64 * 1024

  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
  /// The number of bytes of the last read. In memory of its own, so that the loop writes it without a reference.
  let lastCount = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init() { lastCount.initialize(to: 0) }

  deinit {
    bytes.deallocate()
    lastCount.deallocate()
  }

  /// The bytes of the last read on any stream; overwritten by the next one.
  package func withLastRead<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<lastCount.pointee]).bytes)
  }
}
