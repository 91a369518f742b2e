import Foundation
import ServiceManager
import Testing

/// A service manager that receives notifications during a test.
private final class Manager {
  let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

  init() {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
    setenv("NOTIFY_SOCKET", path, 1)
  }

  deinit {
    unsetenv("NOTIFY_SOCKET")
    close(descriptor)
    unlink(path)
  }

  /// The next message that fulfils a condition, and the descriptors in it; empty if none arrives.
  func receive(where isMeant: (String) -> Bool) -> (text: String, descriptors: [CInt]) {
    while true {
      let message = receive()
      if message.text.isEmpty || isMeant(message.text) { return message }
      for descriptor in message.descriptors { close(descriptor) }
    }
  }

  /// Returns true if this message arrives.
  func receives(_ text: String) -> Bool { receive { $0 == text }.text == text }

  private func receive() -> (text: String, descriptors: [CInt]) {
    var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&socket, 1, 30_000) == 1 else { return ("", []) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    var control = [UInt8](repeating: 0, count: 4096)
    var controlCount = 0
    let count = bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (vector, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
          controlCount = message.msg_controllen
          return count
        }
      }
    }
    guard count >= 0 else { return ("", []) }
    // A header of 16 bytes before the descriptors, which begins with the length of both: cmsg(3).
    let end = controlCount < 16 ? 0 : control.withUnsafeBytes { $0.load(as: Int.self) }
    let descriptors = stride(from: 16, to: end, by: 4).map { offset in
      control.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: CInt.self) }
    }
    return (String(decoding: bytes[..<count], as: UTF8.self), descriptors)
  }
}

/// Each test runs in a process of its own: the hubs of other tests, and the programs that they start, would otherwise
/// find this service manager in their environment.
@Suite(.serialized, .timeLimit(.minutes(30))) struct NotificationTests {
  @Test func withoutAServiceManagerNothingHappens() async {
    await #expect(processExitsWith: .success) {
      unsetenv("NOTIFY_SOCKET")
      #expect(!ServiceManager().isPresent)
      #expect(!ServiceManager().notify(.ready))
      #expect(!ServiceManager().store(0, as: "x"))
      #expect(ServiceManager().watchdogInterval == nil)
    }
  }

  @Test func notificationsOfOneCallAreOneMessage() async {
    await #expect(processExitsWith: .success) {
      let manager = Manager()
      #expect(ServiceManager().notify(.ready, .status("serves\n3 clients")))
      #expect(manager.receives("READY=1\nSTATUS=serves 3 clients"))
      ServiceManager().notify(.stopping)
      #expect(manager.receives("STOPPING=1"))
      ServiceManager().notify(.error(28), .extendTimeout(.milliseconds(1500)), .watchdog)
      #expect(manager.receives("ERRNO=28\nEXTEND_TIMEOUT_USEC=1500000\nWATCHDOG=1"))
    }
  }

  /// A service manager may be stopped, or take long for each descriptor.
  @Test func aServiceManagerThatDoesNotReadHoldsNobodyUp() async {
    await #expect(processExitsWith: .success) {
      let manager = Manager()
      let (file, count, isDone) = (open("/", O_RDONLY), 3000, DispatchSemaphore(value: 0))
      defer { close(file) }
      // More than its socket has room for.
      DispatchQueue.global().async {
        #expect(ServiceManager().store(file, as: "first"))
        for number in 1...count { #expect(ServiceManager().notify(.status("number \(number)"))) }
        isDone.signal()
      }
      #expect(isDone.wait(timeout: .now() + 60) == .success)
      #expect(ServiceManager().waitingCount > 0)
      #expect(!ServiceManager().store([("second", file)], within: .milliseconds(10)))
      #expect(manager.receives("FDSTORE=1\nFDNAME=first\nFDPOLL=0"))
      let numbers = (1...count).map { _ in manager.receive { $0.hasPrefix("STATUS=number ") }.text }
      #expect(numbers == (1...count).map { "STATUS=number \($0)" })
      #expect(manager.receives("FDSTORE=1\nFDNAME=second\nFDPOLL=0"))
      // The call asks too late whether the service manager has handled it.
      #expect(manager.receives("BARRIER=1"))
    }
  }

  @Test func messagesBeyondTheLimitAreRefused() async {
    await #expect(processExitsWith: .success) {
      let manager = Manager()
      var count = 0
      while count < 10_000, ServiceManager().notify(.watchdog) { count += 1 }
      #expect(count >= 4000 && count < 10_000)
      for _ in 0..<count { #expect(manager.receives("WATCHDOG=1")) }
      #expect(ServiceManager().notify(.status("there is room")) && manager.receives("STATUS=there is room"))
    }
  }

  @Test func aReloadTellsItsTime() async {
    await #expect(processExitsWith: .success) {
      let manager = Manager()
      ServiceManager().notify(.reloading)
      let lines = manager.receive { $0.hasPrefix("RELOADING=1") }.text.split(separator: "\n")
      #expect(lines.first == "RELOADING=1" && lines.count == 2)
      let value = try #require(lines.last?.split(separator: "=").last.flatMap { UInt64($0) })
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      #expect(value <= UInt64(time.tv_sec + 1) * 1_000_000 && value > UInt64(max(time.tv_sec - 60, 0)) * 1_000_000)
    }
  }

  @Test func theWatchdogIsThisProcessOnly() async {
    await #expect(processExitsWith: .success) {
      setenv("WATCHDOG_USEC", "3000000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      #expect(ServiceManager().watchdogInterval == .seconds(3))
      setenv("WATCHDOG_PID", "1", 1)
      #expect(ServiceManager().watchdogInterval == nil)
      unsetenv("WATCHDOG_USEC")
      unsetenv("WATCHDOG_PID")
    }
  }

  @Test func aStoredDescriptorLeadsToTheSameFile() async {
    await #expect(processExitsWith: .success) {
      let manager = Manager()
      guard let file = MemoryFile(name: "test", containing: Array("what was left".utf8).span.bytes) else {
        Issue.record("no memory file")
        return
      }
      #expect(ServiceManager().store(file.descriptor, as: "record"))
      let message = manager.receive { $0 == "FDSTORE=1\nFDNAME=record\nFDPOLL=0" }
      let copy = try #require(message.descriptors.first)
      #expect(MemoryFile.contents(of: copy) == Array("what was left".utf8))
      close(copy)
      ServiceManager().removeDescriptors(named: "record")
      #expect(manager.receives("FDSTOREREMOVE=1\nFDNAME=record"))
    }
  }

  /// One message holds at most 253 descriptors.
  @Test(arguments: [0, 1, 253, 254, 700]) func aBoxHoldsManyDescriptors(count: Int) {
    let file = open("/", O_RDONLY)
    defer { close(file) }
    guard let box = DescriptorBox(containing: Array(repeating: file, count: count)) else {
      Issue.record("no box")
      return
    }
    let taken = DescriptorBox.take(from: box.descriptor)
    #expect(taken.count == count && Set(taken).count == count)
    #expect(taken.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
    for descriptor in taken { close(descriptor) }
    #expect(DescriptorBox.take(from: box.descriptor).isEmpty)
  }

  @Test func onlyTheDescriptorThatTheJournalNamesIsItsStream() async {
    await #expect(processExitsWith: .success) {
      var status = stat()
      #expect(fstat(2, &status) == 0)
      setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
      #expect(JournalWriter.isRead(2))
      guard let other = MemoryFile(name: "test", containing: [1].span.bytes) else {
        Issue.record("no memory file")
        return
      }
      #expect(!JournalWriter.isRead(other.descriptor))
      unsetenv("JOURNAL_STREAM")
      #expect(!JournalWriter.isRead(2))
    }
  }

  @Test func whatIsNoMemoryFileHasNoContents() async {
    await #expect(processExitsWith: .success) {
      #expect(MemoryFile.contents(of: -1) == nil)
      let (manager, directory) = (Manager(), open("/", O_RDONLY))
      #expect(MemoryFile.contents(of: directory) == nil)
      close(directory)
      withExtendedLifetime(manager) {}
    }
  }
}
