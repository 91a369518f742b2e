import CFaultVFS
import Glibc
import TestSupport

/// The files of a disk: synced contents, and the later writes.
struct CrashDisk {
  private static let names = ["journal.db", "journal.db-wal", "journal.db-journal", "journal.tail"]

  var synced: [Int32: [UInt8]] = [:]
  var pending: [faultvfs_operation] = []

  init(synced: [Int32: [UInt8]] = [:]) { self.synced = synced }

  /// The files of a journal, all of them synced.
  init(reading directory: String) {
    let found = Scratch.files(directory)
    for (file, name) in Self.names.enumerated() where found.contains(name) {
      synced[Int32(file)] = Scratch.read("\(directory)/\(name)")
    }
  }

  /// The operations that the VFS has recorded, until its next reset.
  static func recorded() -> [faultvfs_operation] { (0..<faultvfs_operations()).map { faultvfs_operation_at($0) } }

  mutating func apply(_ operation: faultvfs_operation) {
    switch Int(operation.kind) {
    case Int(FAULTVFS_SYNC.rawValue):
      for write in pending where write.file == operation.file { Self.apply(write, to: &synced) }
      pending.removeAll { $0.file == operation.file }
    case Int(FAULTVFS_DELETE.rawValue):
      pending.removeAll { $0.file == operation.file }
      synced[operation.file] = nil
    case Int(FAULTVFS_MARK.rawValue): break
    default: pending.append(operation)
    }
  }

  static func apply(_ write: faultvfs_operation, bytes count: Int64? = nil, to files: inout [Int32: [UInt8]]) {
    var content = files[write.file] ?? []
    if write.kind == Int32(FAULTVFS_TRUNCATE.rawValue) {
      content = Array(content.prefix(Int(write.offset)))
    } else {
      let (start, count) = (Int(write.offset), Int(count ?? write.count))
      let missing = start + count - content.count
      if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
      for index in 0..<count { content[start + index] = write.bytes?[index] ?? 0 }
    }
    files[write.file] = content
  }

  /// Selections of writes that reached the disk: none, all, all but one, and random ones, with the length of the last.
  func choices(samples: Int = 4, _ random: inout SplitMix) -> [[(Int, Int64?)]] {
    let all = pending.indices.map { ($0, Int64?.none) }
    guard !pending.isEmpty else { return [[]] }
    var choices: [[(Int, Int64?)]] = [[], all]
    for _ in 1..<samples {
      let missing = Int.random(in: pending.indices, using: &random)
      choices.append(all.filter { $0.0 != missing })
    }
    for _ in 0..<samples { choices.append(all.filter { _ in Bool.random(using: &random) }) }
    // Torn: sectors of 512 bytes reach the disk whole or not at all.
    let torn = Int.random(in: pending.indices, using: &random)
    let sectors = pending[torn].count / 512
    if sectors > 0 { choices.append(all.map { $0.0 == torn ? (torn, 512 * (sectors - 1)) : $0 }) }
    return choices
  }

  /// The files if the power fails and, of the unsynced writes, these have reached the disk.
  func files(after choice: [(Int, Int64?)]) -> [Int32: [UInt8]] {
    var files = synced
    for (write, count) in choice { Self.apply(pending[write], bytes: count, to: &files) }
    return files
  }

  /// Replaces a directory by one with these files.
  static func write(_ files: [Int32: [UInt8]], to directory: String, of scratch: Scratch) {
    scratch.remove(directory)
    mkdir(directory, 0o700)
    for (file, bytes) in files { Scratch.write(bytes, to: "\(directory)/\(names[Int(file)])") }
  }
}
