import Features
import Wire

@testable import HubCore

/// The memory of a mark, which survives the processes.
final class MarkMemory {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ActionMark.byteCount, alignment: 4096)
  init() { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
  deinit { bytes.deallocate() }

  /// The mark as the next process finds it.
  func mark() -> ActionMark {
    ActionMark(in: bytes, of: self, schema: Schema(state: State.self, action: Action.self))
  }

  /// The memory as another process would find it if this one ended now.
  func copy() -> MarkMemory {
    let copy = MarkMemory()
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes))
    return copy
  }

  /// A process that ends while it reduces an action of a session.
  func end(in session: SessionID, at sequence: UInt64) {
    let mark = mark()
    mark.begin(session, first: sequence)
  }

  /// A process that ends while it computes a view.
  func end(in view: ViewIdentity) { mark().begin(.view, view.bytes.span.bytes) }
}
