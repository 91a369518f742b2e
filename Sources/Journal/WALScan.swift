internal import Glibc
internal import TurnLog

/// Finds damage in a write-ahead log that SQLite would take for the end of the log.
///
/// SQLite reads a log up to the first frame with a wrong checksum, because a crash during a commit leaves such a frame.
/// A crash can interrupt only the last commit, because each is synced before the next one begins, and because the log is
/// emptied before the first commit after an interrupted one. A wrong frame that is followed by frames of a later commit
/// was therefore damaged. The format: sqlite.org/fileformat2.html#walformat.
struct WALScan {
  /// The damage; nil if there is none, or if only the last commit is incomplete.
  let damage: String?

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Scans the log of a directory.
  init(_ directory: StateDirectory) throws(LogError) {
    let path = directory.writeAheadLog
    guard let descriptor = try StateDirectory.open(path, O_RDONLY) else {
      damage = nil
      return
    }
    defer { close(descriptor) }
    var scanner = Scanner(descriptor: descriptor, path: path)
    damage = try scanner.scan()
  }

  /// The state of one scan.
  private struct Scanner {
    let descriptor: CInt
    let path: String
    var isBigEndian = false
    var salts: (UInt32, UInt32) = (0, 0)
    var sums: (UInt32, UInt32) = (0, 0)

    mutating func scan() throws(LogError) -> String? {
      var header = [UInt8](repeating: 0, count: headerSize)
      guard try read(&header, at: 0) else { return nil }
      let magic = Self.word(header, 0)
      let pageSize = Int(Self.word(header, 8))
      isBigEndian = magic & 1 == 1
      salts = (Self.word(header, 16), Self.word(header, 20))
      sums = checksum(header[..<24], (0, 0))
      guard magic & ~1 == 0x377f_0682, (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
        sums == (Self.word(header, 24), Self.word(header, 28))
      else {
        // The header is written and synced before the first frame, and smaller than a sector.
        return try isEmpty() ? nil : "the header of \(path) is not what was written"
      }
      return try scanFrames(pageSize)
    }

    /// Returns true if nothing was ever written after the header.
    private func isEmpty() throws(LogError) -> Bool {
      var header = [UInt8](repeating: 0, count: frameHeaderSize)
      return try !read(&header, at: headerSize) || header.allSatisfy { $0 == 0 }
    }

    private mutating func scanFrames(_ pageSize: Int) throws(LogError) -> String? {
      var frame = [UInt8](repeating: 0, count: frameHeaderSize + pageSize)
      var number = 0
      // The pages since the last sound commit, and the first wrong frame.
      var pages: Set<UInt32> = []
      var wrong: Int?
      var isCommitted = false
      while try read(&frame, at: headerSize + number * frame.count) {
        number += 1
        var isCurrent = salts == (Self.word(frame, 8), Self.word(frame, 12))
        let stored = (Self.word(frame, 16), Self.word(frame, 20))
        if wrong == nil {
          // The checksums do not cover the salts, so a frame with the right ones is of this log even if its salts are
          // wrong.
          let isIntact = checksum(frame[24...], checksum(frame[..<8], sums)) == stored
          if !isCurrent || !isIntact { wrong = number }
          isCurrent = isCurrent || isIntact
        }
        guard isCurrent else { continue }
        if let wrong, isCommitted || !pages.insert(Self.word(frame, 0)).inserted {
          return "frame \(wrong) of \(path) is not what was written, and a later commit follows it"
        }
        let isCommit = Self.word(frame, 4) != 0
        if wrong == nil {
          if isCommit { pages = [] } else { pages.insert(Self.word(frame, 0)) }
        } else if isCommit {
          isCommitted = true
        }
        sums = stored
      }
      return nil
    }

    /// Reads bytes; returns false if the file ends first.
    private func read(_ bytes: inout [UInt8], at offset: Int) throws(LogError) -> Bool {
      let count = pread(descriptor, &bytes, bytes.count, offset)
      guard count >= 0 else { throw .system("read", path) }
      return count == bytes.count
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
      bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// SQLite's checksum of bytes, continuing from an initial value.
    private func checksum(_ bytes: ArraySlice<UInt8>, _ initial: (UInt32, UInt32)) -> (UInt32, UInt32) {
      var (first, second) = initial
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 8) {
          let words = bytes.loadUnaligned(fromByteOffset: offset, as: (UInt32, UInt32).self)
          first = first &+ (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
          second = second &+ (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
        }
      }
      return (first, second)
    }
  }
}
