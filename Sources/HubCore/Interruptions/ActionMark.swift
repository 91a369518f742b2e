internal import SchemaNames
internal import Synchronization
package import Wire

/// The action that the hub reduces at the moment, in memory that survives the process.
///
/// A reducer that traps, or never returns, ends the process before the action is stored, so its sender repeats it after
/// the restart. The next process reads here which action it was: the first time it is applied again, since the process
/// may have ended for another reason; an action at which two processes have ended is refused (`Interruption`).
///
/// The memory is mapped from a file or shared memory, so marking an action takes a few stores, and the kernel keeps them
/// however the process ends.
package final class ActionMark {
  /// The size of the memory in bytes.
  package static let byteCount = 16384

  /// The work during which a process may end.
  enum Phase: UInt64 {
    /// No code of the feature runs.
    case idle
    /// The actions of a client are reduced.
    case client
    /// The hub's own work: an action or an event.
    case own
    /// The changes of a turn are encoded for the log.
    case turn
  }

  /// The offsets of the fields.
  private enum Offset {
    static let phase = 16
    static let reduced = 24
    static let session = 32
    static let first = 48
    static let source = 56
    static let action = 64
    static let actionEnd = 1024
    static let message = 1024
    static let messageEnd = 2048
    static let interruptions = 2048
  }

  private static let signature: [UInt8] = Array("storehub mark 1\n".utf8)

  private let memory: UnsafeMutableRawPointer
  /// The owner of the memory.
  private let owner: AnyObject
  /// The number of actions of the present batch that were reduced, which the innermost loop stores.
  let reduced: UnsafeMutablePointer<Atomic<UInt64>>
  private let phase: UnsafeMutablePointer<Atomic<UInt64>>
  /// The actions at which earlier processes have ended. Without the exclusivity check: the core changes it between
  /// actions only.
  @exclusivity(unchecked) private(set) var interruptions: Interruptions
  /// The code of the feature in which the previous process ended; nil if it did not.
  package let last: Interruption?

  /// Takes the memory over from the previous process.
  ///
  /// - Parameters:
  ///   - memory: At least `byteCount` bytes, zero or from another process, aligned to 16 bytes.
  ///   - owner: The owner of the memory.
  ///   - schema: The schema of the feature, which names the hub's own actions.
  package init(in memory: UnsafeMutableRawBufferPointer, of owner: AnyObject, schema: Schema) {
    guard let base = memory.baseAddress, memory.count >= Self.byteCount else {
      preconditionFailure("a mark needs \(Self.byteCount) bytes")
    }
    (self.memory, self.owner) = (base, owner)
    phase = (base + Offset.phase).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    reduced = (base + Offset.reduced).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    guard Self.signature.elementsEqual(memory.prefix(Self.signature.count)) else {
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      base.copyMemory(from: Self.signature, byteCount: Self.signature.count)
      (interruptions, last) = (Interruptions(), nil)
      return
    }
    interruptions = Self.stored(in: UnsafeRawBufferPointer(rebasing: memory[Offset.interruptions..<Self.byteCount]))
    last = Self.interruption(in: base, phase.pointee.load(ordering: .relaxed), schema)
    base.storeBytes(of: 0, toByteOffset: Offset.message, as: UInt64.self)
    if let last {
      interruptions.note(last)
      store()
    }
    // After the record: if this process ends in between, the interruption is counted twice at most.
    set(.idle)
  }

  /// The memory of the text that the process writes before it ends: its length in eight bytes, then UTF-8. It counts
  /// only if code of the feature has run since it began.
  package var message: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + Offset.message, count: Offset.messageEnd - Offset.message)
  }

  /// Forgets everything: the process ends in order, so the next one tries all actions again.
  package func clear() {
    set(.idle)
    interruptions = Interruptions()
    store()
  }

  // MARK: Marking

  /// Begins a batch of actions of a client.
  @inline(__always)
  func begin(_ session: SessionID, first: UInt64) {
    reduced.pointee.store(0, ordering: .relaxed)
    memory.storeBytes(of: session.high, toByteOffset: Offset.session, as: UInt64.self)
    memory.storeBytes(of: session.low, toByteOffset: Offset.session + 8, as: UInt64.self)
    memory.storeBytes(of: first, toByteOffset: Offset.first, as: UInt64.self)
    set(.client)
  }

  /// Begins work of the hub's own.
  func begin(_ source: Interruption.Source, _ action: RawSpan) {
    memory.storeBytes(of: source.rawValue, toByteOffset: Offset.source, as: UInt64.self)
    let capacity = Offset.actionEnd - Offset.action - 16
    let kept = min(action.byteCount, capacity)
    memory.storeBytes(of: UInt64(kept), toByteOffset: Offset.action, as: UInt64.self)
    memory.storeBytes(of: Checksum.of(action), toByteOffset: Offset.action + 8, as: UInt64.self)
    action.withUnsafeBytes { bytes in
      guard kept > 0, let start = bytes.baseAddress else { return }
      (memory + Offset.action + 16).copyMemory(from: start, byteCount: kept)
    }
    set(.own)
  }

  /// Marks the action that was just applied, alone, while its changes are encoded.
  func beginExamination() { reduced.pointee.store(0, ordering: .releasing) }

  /// Begins to encode the changes of a turn.
  func beginTurn() { set(.turn) }

  /// Ends the work.
  @inline(__always)
  func end() { set(.idle) }

  @inline(__always)
  private func set(_ new: Phase) {
    // Nothing that was written before belongs to it.
    if new != .idle { memory.storeBytes(of: 0, toByteOffset: Offset.message, as: UInt64.self) }
    phase.pointee.store(new.rawValue, ordering: .releasing)
  }

  // MARK: Interruptions

  /// Records that work of the hub's own has succeeded, so an earlier process ended in it by chance.
  func succeeded(_ source: Interruption.Source, checksum: UInt64, name: @autoclosure () -> String) {
    if interruptions.forgive(source, checksum: checksum, name: name()) { store() }
  }

  /// Counts an action whose changes were encoded alone, while that is necessary.
  func noteExamined() { interruptions.noteExamined() }

  private func store() {
    let bytes = interruptions.encoded()
    // Not counted until everything is written.
    memory.storeBytes(of: 0, toByteOffset: Offset.interruptions, as: UInt64.self)
    guard bytes.count <= Self.byteCount - Offset.interruptions - 16 else { return }
    memory.storeBytes(
      of: Checksum.of(bytes.span.bytes), toByteOffset: Offset.interruptions + 8, as: UInt64.self)
    (memory + Offset.interruptions + 16).copyMemory(from: bytes, byteCount: bytes.count)
    memory.storeBytes(of: UInt64(bytes.count), toByteOffset: Offset.interruptions, as: UInt64.self)
  }

  private static func stored(in memory: UnsafeRawBufferPointer) -> Interruptions {
    let count = memory.loadUnaligned(as: UInt64.self)
    guard 1...UInt64(memory.count - 16) ~= count else { return Interruptions() }
    let bytes = Array(memory[16..<(16 + Int(count))])
    guard Checksum.of(bytes.span.bytes) == memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self) else {
      return Interruptions()
    }
    return (try? Interruptions(decoding: bytes.span.bytes)) ?? Interruptions()
  }

  /// Returns what the previous process did when it ended; nil if no code of the feature ran.
  private static func interruption(
    in memory: UnsafeMutableRawPointer, _ phase: UInt64, _ schema: Schema
  ) -> Interruption? {
    func number(_ offset: Int) -> UInt64 { memory.load(fromByteOffset: offset, as: UInt64.self) }
    func bytes(_ offset: Int, _ count: UInt64, end: Int) -> [UInt8] {
      let count = min(Int(clamping: count), end - offset)
      return Array(UnsafeRawBufferPointer(start: memory + offset, count: count))
    }
    let text = bytes(Offset.message + 8, number(Offset.message), end: Offset.messageEnd)
    let message = String(decoding: text, as: UTF8.self)
    switch Phase(rawValue: phase) {
    case nil, .idle: return nil
    case .client:
      let session = SessionID(high: number(Offset.session), low: number(Offset.session + 8))
      // Wrapping: the number comes from memory that any process of this user may have written.
      let sequence = number(Offset.first) &+ number(Offset.reduced)
      return Interruption(.client(session, sequence: sequence), message: message)
    case .own:
      guard let source = Interruption.Source(rawValue: number(Offset.source)) else { return nil }
      let action = bytes(Offset.action + 16, number(Offset.action), end: Offset.actionEnd)
      let name = source == .view ? ViewIdentity.name(in: action) : schema.name(ofOwn: action)
      return Interruption(.own(source, name: name, checksum: number(Offset.action + 8)), message: message)
    case .turn: return Interruption(.turn, message: message)
    }
  }
}

extension Schema {
  /// Returns the name of an action of the hub's own; empty for an event, and for an action that is too long to be kept
  /// whole.
  func name(ofOwn action: [UInt8]) -> String {
    guard let value = try? CBORValue(decoding: action.span.bytes) else { return "" }
    return parts(ofAction: value).flatMap { name(ofAction: $0.path) } ?? ""
  }
}
