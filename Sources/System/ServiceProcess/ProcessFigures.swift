internal import Glibc

/// The metrics of this process that Prometheus' client libraries have, under their names.
package struct ProcessFigures {
  /// The start of the process, in seconds since 1970; nil if it is unknown.
  private let start = Self.startTime()

  /// Reads the time at which the process has started.
  package init() {}

  /// Adds the metrics. Reading them takes some tens of microseconds.
  package func add(to text: inout PrometheusText) {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    text.counter(
      "process_cpu_seconds_total", "The processor time of the process in seconds, of user and system.",
      Self.seconds(time))
    let pages = Self.words(of: "/proc/self/statm").prefix(2).compactMap { UInt64($0) }
    if pages.count == 2 {
      let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
      text.gauge("process_virtual_memory_bytes", "The size of the virtual memory in bytes.", pages[0] * page)
      text.gauge("process_resident_memory_bytes", "The size of the resident memory in bytes.", pages[1] * page)
    }
    if let count = Self.descriptorCount() {
      text.gauge("process_open_fds", "The number of open file descriptors.", count)
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 {
      text.gauge("process_max_fds", "The maximum number of open file descriptors.", UInt64(limit.rlim_cur))
    }
    if let start {
      text.gauge(
        "process_start_time_seconds", "The start time of the process in seconds since the Unix epoch.", start)
    }
  }

  private static func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }

  /// The kernel counts the ticks from its own start to that of the process.
  private static func startTime() -> Double? {
    // The name of the program stands in parentheses, and may have spaces.
    let fields = contents(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
    var (sinceBoot, now) = (timespec(), timespec())
    clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
    clock_gettime(CLOCK_REALTIME, &now)
    let age = seconds(sinceBoot) - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    return ((seconds(now) - age) * 100).rounded() / 100
  }

  /// Linux 6.2 and newer knows the number without listing them.
  private static func descriptorCount() -> UInt64? {
    var status = stat()
    if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return UInt64(status.st_size) }
    guard let stream = opendir("/proc/self/fd") else { return nil }
    defer { closedir(stream) }
    var count: UInt64 = 0
    while let entry = readdir(stream) { if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 } }
    // That of the directory itself.
    return count - 1
  }

  private static func words(of path: String) -> [Substring] {
    contents(of: path).split(whereSeparator: { $0 == " " || $0.isNewline })
  }

  /// The text of a short file of the kernel.
  private static func contents(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
