import EventLoop
import Glibc
import Testing

@testable import StoreHub

/// The order in which the hub opens connections.
@Suite struct AdmissionTests {
  @Test func aUserWithManyConnectionsWaitsLongerThanAUserWithOne() {
    var admission = Admission()
    for descriptor in 0..<1000 { admission.add(CInt(descriptor), of: 1) }
    admission.add(2000, of: 2)
    admission.add(2001, of: 2)
    admission.add(3000, of: 3)
    #expect(admission.count == 1003 && admission.count(of: 1) == 1000 && admission.count(of: 4) == 0)
    #expect((0..<7).map { _ in admission.next() } == [0, 2000, 3000, 1, 2001, 2, 3])
    #expect(admission.count(of: 2) == 0 && admission.count == 996)
    while admission.next() != nil {}
    #expect(!admission.isInUse)
  }

  @Test func whatComesBehindOthersWaits() {
    var admission = Admission()
    var opened = 0
    while admission.opensAtOnce() { opened += 1 }
    #expect(opened == 2 && admission.isInUse)
    admission.add(1, of: 1)
    admission.beginTurn()
    let opensPastOthers = admission.opensAtOnce()
    #expect(!opensPastOthers)
    #expect(admission.next() == 1 && admission.next() == nil)
    let opens = admission.opensAtOnce()
    #expect(opens)
  }

  /// A program that only looks whether a hub listens must not slow the hub down.
  @Test func onlyManyDisconnectedClientsAreMuchTraffic() {
    var admission = Admission()
    let areMany = (Array(repeating: 1000, count: 16) + [1099, 1100]).map { admission.noteDisconnected(at: $0) }
    #expect(areMany == Array(repeating: false, count: 16) + [true, false])
  }

  /// Opening a connection costs several times as much as closing its descriptor.
  @Test(.timeLimit(.minutes(30))) func aClientThatHasDisconnectedIsNotOpened() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let count = 40
    for _ in 0..<count {
      let (descriptor, result) = bench.socket(connect)
      try #require(result == 0)
      close(descriptor)
    }
    #expect(await bench.until { server.shell.metrics.accepted == UInt64(count) })
    #expect(server.shell.connections.isEmpty && server.shell.metrics.connections == 0)
    #expect(await bench.stop(server))
    bench.clean()
  }
}
