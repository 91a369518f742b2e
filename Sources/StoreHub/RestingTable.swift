internal import Glibc
internal import ServiceManager

/// The records of connections at rest, in memory that survives a crash of the process.
///
/// Each record has a slot of a fixed size. Its first byte says whether the record is valid: the stream of the connection
/// sets it to `active` before it reads or writes. So a record is valid only if nothing has happened on the connection
/// since it was written, at whatever instruction the process was killed.
final class RestingTable {
  /// The first byte of a slot.
  enum Mark {
    /// The record is valid.
    static let atRest: UInt8 = 0
    /// The socket was read or written since the byte was looked at last, or the slot is free.
    static let active: UInt8 = 1
    /// The socket was neither read nor written since the byte was looked at last; there is no record yet.
    static let quiet: UInt8 = 2
  }

  /// How many connections are kept at most: the service manager compares each new descriptor with all that it has.
  static let capacity = 1000
  static let slotByteCount = 1024
  private static let headByteCount = 16
  private static let signature = Array("storehub idle 1\n".utf8)

  private let memory: SharedMemory
  private var free: [Int]

  /// Creates a table without records; nil without memory for it.
  init?(capacity: Int = RestingTable.capacity) {
    guard let memory = SharedMemory(name: "storehub-idle", byteCount: (capacity + 1) * Self.slotByteCount),
      let base = memory.bytes.baseAddress
    else { return nil }
    self.memory = memory
    free = Array((1...capacity).reversed())
    // An unused page of the file need not exist: a record is valid only with a length.
    base.copyMemory(from: Self.signature, byteCount: Self.signature.count)
  }

  /// The file, to be left to the next process.
  var descriptor: CInt { memory.descriptor }

  /// A free slot; nil if there is none.
  func takeSlot() -> Int? {
    guard let slot = free.popLast() else { return nil }
    SharedMemory.store(Mark.active, in: mark(of: slot))
    return slot
  }

  /// Makes a slot free, whose record is not valid from here on.
  func release(_ slot: Int) {
    SharedMemory.store(Mark.active, in: mark(of: slot))
    free.append(slot)
  }

  /// The first byte of a slot.
  func mark(of slot: Int) -> UnsafeMutablePointer<UInt8> {
    guard let base = memory.bytes.baseAddress else { preconditionFailure("mapped memory has an address") }
    return (base + slot * Self.slotByteCount).assumingMemoryBound(to: UInt8.self)
  }

  /// Writes the record of a connection at rest; false if it is too long.
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

  /// The valid records of a table that another process has left.
  static func records(in file: CInt) -> [[UInt8]] {
    guard let bytes = MemoryFile.contents(of: file), bytes.starts(with: signature) else { return [] }
    return stride(from: slotByteCount, to: bytes.count - slotByteCount + 1, by: slotByteCount).compactMap { start in
      let length = bytes[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard bytes[start] == Mark.atRest, 1...(slotByteCount - headByteCount) ~= length else { return nil }
      return Array(bytes[(start + headByteCount)...].prefix(length))
    }
  }
}
