internal import Glibc
internal import TurnLog
internal import Wire

/// The end of the history, in a separate file, so that a database that lost commits is detected.
///
/// To SQLite, a truncated or removed write-ahead log looks like one that was never longer. This record is written after
/// each commit and not synced: after a loss of power it may be older than the database, but never newer. It is synced
/// when a journal is opened and closed. A database without it is a backup or a copy, and begins a new history.
struct TailRecord: Equatable {
  private static let mark: UInt64 = 0x314c_4941_544a_4853  // "SHJTAIL1"
  static let byteCount = 56

  var epoch: Epoch
  var position: UInt64
  var revision: UInt64
  var checksum: UInt64

  init(_ head: Head) {
    (epoch, position, revision) = (head.epoch, head.tail.position, head.revision)
    checksum = head.tail.checksum
  }

  /// Decodes a record; returns nil for other bytes, such as those of a torn write.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func word(_ index: Int) -> UInt64 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
    }
    (epoch, position) = (Epoch(high: word(1), low: word(2)), word(3))
    (revision, checksum) = (word(4), word(5))
    guard self.bytes == bytes else { return nil }
  }

  /// The record as little-endian 64-bit numbers; the last one is the checksum of the others.
  var bytes: [UInt8] {
    let content: InlineArray<6, UInt64> = [Self.mark, epoch.high, epoch.low, position, revision, checksum]
    let words: InlineArray<7, UInt64> = [
      Self.mark, epoch.high, epoch.low, position, revision, checksum, Checksum.of(words: content),
    ]
    return words.span.bytes.withUnsafeBytes { [UInt8]($0) }
  }
}

/// The open file of a tail record.
final class TailFile {
  private let path: String
  private let descriptor: CInt

  init(_ directory: StateDirectory) throws(LogError) {
    path = directory.tail
    descriptor = try StateDirectory.openOrCreate(path)
  }

  deinit { close(descriptor) }

  /// Reads the record of a directory; returns nil if it is missing or torn.
  static func read(_ directory: StateDirectory) throws(LogError) -> TailRecord? {
    guard let descriptor = try StateDirectory.open(directory.tail, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: TailRecord.byteCount)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw .system("read", directory.tail) }
    return count == bytes.count ? TailRecord(bytes) : nil
  }

  /// Writes the record of a committed head.
  func write(_ head: Head) throws(LogError) {
    let bytes = TailRecord(head).bytes
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw .system("write", path) }
  }

  /// Syncs the record, so that it survives a loss of power.
  func sync() throws(LogError) {
    guard fsync(descriptor) == 0 else { throw .system("sync", path) }
  }
}
