internal import Glibc

/// The CPU time of another process.
enum ProcessorTime {
  /// The CPU time of all threads of a process (proc_pid_schedstat(5)), which the load of other processes does not change;
  /// nil if it cannot be read.
  static func nanoseconds(of process: Int) -> UInt64? {
    guard let folder = opendir("/proc/\(process)/task") else { return nil }
    defer { closedir(folder) }
    var sum: UInt64 = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // Not `..`, whose schedstat is that of the main thread once more.
      guard !name.hasPrefix("."), let file = fopen("/proc/\(process)/task/\(name)/schedstat", "r") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 128)
      guard fgets(&line, CInt(line.count), file) != nil else { continue }
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      sum += text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
    }
    return sum
  }
}
