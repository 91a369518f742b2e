import Testing

/// The cores take bytes, events and times, and return commands. Neither they nor their imports do I/O.
@Suite struct CoresWithoutIOTests {
  static let cores = ["HubCore", "ReplicaCore", "ClusterCore", "ClusterLink", "EtcdMessages", "GRPCConnection"]

  /// The modules outside `Sources` that may be imported. Glibc and FoundationEssentials are allowed for values and
  /// thread-local storage, Dispatch for the scheduler of `\.mainQueue`. Their functions that do I/O are searched for below.
  static let allowed: Set<String> = ["Dispatch", "FoundationEssentials", "Glibc", "Observation", "Synchronization"]

  /// The modules of `Sources` whose purpose is I/O.
  static let forbidden: Set<String> = [
    "CCurl", "CEpoll", "CGlibc", "CNcurses", "CSQLite", "CSystemd", "CUV", "EventLoop", "HTTPClient", "NetworkStream",
    "ServiceManager", "Sharing", "Terminal",
  ]

  /// Functions and types that do I/O. `send` is not among them, because effects have a function of that name.
  static let calls: Set<Substring> = [
    "accept", "accept4", "bind", "clock_gettime", "clock_nanosleep", "close", "connect", "creat", "dup",
    "epoll_create1",
    "epoll_ctl", "epoll_wait", "eventfd", "execve", "fclose", "fdatasync", "fflush", "fgets", "fopen", "fork",
    "fprintf",
    "fputs", "fread", "fstat", "fsync", "ftruncate", "fwrite", "getaddrinfo", "getline", "inotify_add_watch",
    "inotify_init1", "ioctl", "kill", "link", "listen", "lseek", "lstat", "mkdir", "mkstemp", "mmap", "nanosleep",
    "open",
    "openat", "opendir", "pipe", "pipe2", "poll", "posix_spawn", "ppoll", "pread", "printf", "pthread_create",
    "putchar",
    "puts", "pwrite", "read", "readdir", "readv", "recv", "recvmsg", "rename", "rmdir", "select", "sendmsg",
    "setsockopt", "shutdown", "signalfd", "sleep", "socket", "socketpair", "stat", "timerfd_create", "unlink", "usleep",
    "waitpid", "write", "writev", "FileManager", "FileHandle", "Process", "ProcessInfo", "URLSession", "Bundle",
    "DispatchIO", "makeReadSource", "makeWriteSource", "makeFileSystemObjectSource", "makeProcessSource",
  ]

  /// Permitted calls, each with its file and the reason.
  static let exceptions: [String: Set<Substring>] = [
    // Programming errors are reported on standard error, wherever they occur.
    "Sources/Architecture/IssueReporting/IssueReporter.swift": ["write"]
  ]

  @Test(arguments: cores) func aCoreReachesNoModuleThatDoesIO(core: String) throws {
    let modules = try Modules()
    for name in modules.closure(of: core) {
      if Self.forbidden.contains(name) { Issue.record("\(core) reaches \(name)") }
      for outside in (modules.imports[name] ?? []).subtracting(modules.names).subtracting(Self.allowed) {
        Issue.record("\(core) reaches \(name), which imports \(outside)")
      }
    }
  }

  @Test func noSourceBelowTheCoresCallsForIO() throws {
    let modules = try Modules()
    let closure = Self.cores.reduce(into: Set<String>()) { $0.formUnion(modules.closure(of: $1)) }
    for name in closure.subtracting(Self.forbidden) {
      for file in Repository.files(below: modules.folders[name] ?? "Sources/\(name)", endingIn: ".swift") {
        let lines = try Repository.lines(file)
        guard !Modules.imports(of: lines).isDisjoint(with: ["Dispatch", "FoundationEssentials", "Glibc"]) else {
          continue
        }
        for (number, line) in lines.enumerated() {
          let excepted = Self.exceptions[file] ?? []
          for call in Self.calls(in: line) where !excepted.contains(call) && !declares(call, lines) {
            Issue.record("\(file):\(number + 1) calls \(call)")
          }
        }
      }
    }
  }

  /// Returns true if a file declares a function of that name itself.
  private func declares(_ name: Substring, _ lines: [Substring]) -> Bool {
    lines.contains { $0.contains("func \(name)(") }
  }

  @Test func callsAreFoundAndMethodsAreNot() {
    #expect(Self.calls(in: "    let file = open(path, O_RDONLY)") == ["open"])
    #expect(Self.calls(in: "    _ = Glibc.write(1, bytes, count)") == ["write"])
    #expect(Self.calls(in: "    log.write(line)").isEmpty)
    #expect(Self.calls(in: "  func read(_ body: () -> Void)").isEmpty)
    #expect(Self.calls(in: "  /// Calls open(2)").isEmpty)
  }

  /// Returns the functions of ``calls`` that a line calls, except methods, comments and declarations.
  static func calls(in line: Substring) -> Set<Substring> {
    let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    var found: Set<Substring> = []
    var start = code.startIndex
    while let open = code[start...].firstIndex(where: { $0 == "(" || $0 == "." }) {
      let before = code[..<open]
      let name = before.suffix(
        from: before.lastIndex { !isWordCharacter($0) }.map(before.index(after:)) ?? code.startIndex)
      let prefix = code[..<name.startIndex]
      if calls.contains(name), !prefix.hasSuffix("func "), !prefix.hasSuffix(".") || prefix.hasSuffix("Glibc.") {
        // `FileManager.default` counts, `write.count` does not.
        if code[open] == "(" || name.first?.isUppercase == true { found.insert(name) }
      }
      start = code.index(after: open)
    }
    return found
  }

  private static func isWordCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
