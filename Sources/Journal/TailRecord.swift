internal import Glibc
internal import TurnLog
internal import Wire

/// Where the history ended, in a file of its own, so that a database that lost commits is noticed.
///
/// A write-ahead log that was cut or removed looks to SQLite like one that was never longer. This record is written behind
/// each commit, and not synced: after a loss of power it may be older than the database, never newer.
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

  /// Reads a record; nil for bytes that are none, as a torn write leaves them.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func word(_ index: Int) -> UInt64 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
    }
    (epoch, position) = (Epoch(high: word(1), low: word(2)), word(3))
    (revision, checksum) = (word(4), word(5))
    guard self.bytes == bytes else { return nil }
  }

  /// The record as numbers of eight little-endian bytes; the last one is the checksum of the others.
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
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("open", path) }
  }

  deinit { close(descriptor) }

  /// The record of a directory; nil if there is none or it is torn.
  static func read(_ directory: StateDirectory) -> TailRecord? {
    let descriptor = Glibc.open(directory.tail, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: TailRecord.byteCount)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    return TailRecord(bytes)
  }

  /// Writes the record of a head that was committed.
  func write(_ head: Head) throws(LogError) {
    let bytes = TailRecord(head).bytes
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw .system("write", path) }
  }

  /// Makes the record survive a loss of power.
  func sync() throws(LogError) {
    guard fsync(descriptor) == 0 else { throw .system("sync", path) }
  }
}
