internal import Glibc

/// The process of a hub, as seen in /proc (proc(5)).
struct HubProcess {
  let id: Int32

  /// The CPU time of all its threads, in nanoseconds; nil if it cannot be read.
  var processorTime: UInt64? {
    guard let folder = opendir("/proc/\(id)/task") else { return nil }
    defer { closedir(folder) }
    var sum: UInt64 = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // Skips `..`, whose schedstat is that of the main thread again.
      guard !name.hasPrefix("."), let text = Self.read("/proc/\(id)/task/\(name)/schedstat") else { continue }
      sum += text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
    }
    return sum
  }

  /// Its resident memory in bytes.
  var residentBytes: Int? {
    guard let text = Self.read("/proc/\(id)/statm") else { return nil }
    let words = text.split(separator: " ")
    // A zombie has no memory.
    guard words.count > 1, let pages = Int(words[1]), pages > 0 else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// The name of its program.
  var name: String { (Self.read("/proc/\(id)/comm") ?? "").filter { $0 != "\n" } }

  /// Its command line.
  var arguments: [String] {
    (Self.read("/proc/\(id)/cmdline") ?? "").split(separator: "\0").map(String.init)
  }

  /// Its durability mode, if its command line states it; for a hub that does not tell its metrics.
  var durability: String? {
    let words = arguments
    guard words.first?.hasSuffix("storehubd") == true else { return nil }
    for (index, word) in words.enumerated() {
      if word.hasPrefix("--durability=") { return String(word.dropFirst(13)) }
      if word == "--durability", index + 1 < words.count { return words[index + 1] }
    }
    return words.contains { $0.hasPrefix("--state-dir") } ? "sync" : "memory"
  }

  /// Returns the text of a small file.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = fread(&block, 1, block.count, file)
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The machine on which the test runs.
package struct Machine: Equatable, Sendable {
  /// The processor's name.
  package var processor = "unknown"
  /// The number of processors.
  package var cores = 1
  /// The kernel's name and release.
  package var kernel = ""
  /// The load average of the last minute.
  package var load = 0.0

  /// This machine.
  package static var this: Machine {
    var machine = Machine()
    let lines = (HubProcess.read("/proc/cpuinfo") ?? "").split(separator: "\n")
    if let line = lines.first(where: { $0.hasPrefix("model name") }), let colon = line.firstIndex(of: ":") {
      machine.processor = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    machine.cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    machine.kernel = "Linux " + (HubProcess.read("/proc/sys/kernel/osrelease") ?? "").filter { $0 != "\n" }
    var averages = [Double](repeating: 0, count: 3)
    if getloadavg(&averages, 3) > 0 { machine.load = averages[0] }
    return machine
  }

  /// The machine as one line.
  package var summary: String {
    "\(processor), \(cores) cores, \(kernel), load average \(Decimals.fixed(load, 1))"
  }
}
