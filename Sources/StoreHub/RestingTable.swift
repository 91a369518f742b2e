internal import Glibc
internal import ServiceManager

/// The records of connections at rest, in memory that survives a crash of the process.
///
/// Each record has a slot of a fixed size. The first byte of the slot marks the record as valid; the stream of the
/// connection sets it to `active` before it reads or writes. A valid record therefore means that the connection had no
/// activity since the record was written, at whatever instruction the process was killed.
final class RestingTable {
  /// The first byte of a slot.
  enum Mark {
    /// The record is valid.
    static let atRest: UInt8 = 0
    /// The socket had activity since the last check, or the slot is free.
    static let active: UInt8 = 1
    /// The socket had no activity since the last check, but the slot has no record yet.
    static let quiet: UInt8 = 2
  }

  /// The maximum number of recorded connections. The service manager compares each new descriptor with all that it has.
  static let capacity = 1000
  /// The number of descriptors in the service manager for other purposes: the table, those of a restart, and those of
  /// the feature.
  static let reserve = 24
  static let slotByteCount = 1024
  private static let headByteCount = 16
  private static let signature = Array("storehub idle 1\n".utf8)

  private let memory: SharedMemory
  private var free: [Int]

  /// Returns the number of connections that can be recorded, given the maximum number of descriptors in the service
  /// manager; nil for an unknown one.
  static func capacity(within storeLimit: Int?) -> Int {
    storeLimit.map { min(capacity, max($0 - reserve, 0)) } ?? capacity
  }

  /// Creates a table without records; nil if it has no capacity or memory is short.
  init?(capacity: Int) {
    guard capacity > 0,
      let memory = SharedMemory(name: "storehub-idle", byteCount: (capacity + 1) * Self.slotByteCount),
      let base = memory.bytes.baseAddress
    else { return nil }
    self.memory = memory
    free = Array((1...capacity).reversed())
    // Unused pages of the file are not allocated: a record is valid only with a length.
    base.copyMemory(from: Self.signature, byteCount: Self.signature.count)
  }

  /// The file of the table, for the next process.
  var descriptor: CInt { memory.descriptor }

  /// Takes a free slot; nil if there is none.
  func takeSlot() -> Int? {
    guard let slot = free.popLast() else { return nil }
    SharedMemory.store(Mark.active, in: mark(of: slot))
    return slot
  }

  /// Frees a slot and invalidates its record.
  func release(_ slot: Int) {
    SharedMemory.store(Mark.active, in: mark(of: slot))
    free.append(slot)
  }

  /// Returns the first byte of a slot.
  func mark(of slot: Int) -> UnsafeMutablePointer<UInt8> {
    guard let base = memory.bytes.baseAddress else { preconditionFailure("mapped memory has an address") }
    return (base + slot * Self.slotByteCount).assumingMemoryBound(to: UInt8.self)
  }

  /// Writes the record of a connection at rest; returns false if it is too long.
  func write(_ record: [UInt8], to slot: Int) -> Bool {
    let mark = mark(of: slot)
    guard mark.pointee != Mark.atRest, !record.isEmpty, record.count <= Self.slotByteCount - Self.headByteCount else {
      return false
    }
    let base = UnsafeMutableRawPointer(mark)
    base.storeBytes(of: UInt32(record.count), toByteOffset: 4, as: UInt32.self)
    (base + Self.headByteCount).copyMemory(from: record, byteCount: record.count)
    SharedMemory.store(Mark.atRest, in: mark)
    return true
  }

  /// Returns the valid records in the table of another process.
  static func records(in file: CInt) -> [[UInt8]] {
    guard let bytes = MemoryFile.contents(of: file), bytes.starts(with: signature) else { return [] }
    return stride(from: slotByteCount, to: bytes.count - slotByteCount + 1, by: slotByteCount).compactMap { start in
      let length = bytes[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard bytes[start] == Mark.atRest, 1...(slotByteCount - headByteCount) ~= length else { return nil }
      return Array(bytes[(start + headByteCount)...].prefix(length))
    }
  }
}
