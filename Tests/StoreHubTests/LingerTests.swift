import ComposableArchitecture
import EventLoop
import Features
import Foundation
import Glibc
import HubCore
import StoreHub
import Testing
import Wire

@Suite(.serialized, .timeLimit(.minutes(30))) struct LingerTests {
  /// Such a client once kept its place in the table of connections until it closed its socket, and locked others out.
  @Test func aClientThatLeavesWithoutReadingIsClosed() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.closeTimeout = .milliseconds(50)
    var state = AppFeature.State()
    let text = String(repeating: "x", count: 4000)
    for id in 0..<1000 { state.todos.todos.append(Todo.State(id: id, text: text)) }
    let server = try bench.serve(FeatureEngine(initialState: state, reducer: AppFeature()), limits: limits)

    let (client, result) = bench.socket(connect)
    try #require(result == 0)
    func send(kind: UInt8, _ payload: [UInt8]) {
      let frame = [UInt8(payload.count), 0, 0, 0, kind] + [UInt8](repeating: 0, count: 11) + payload
      #expect(write(client, frame, frame.count) == frame.count)
    }
    // A hello of version 1 and an attachment to the whole state of 4 MB.
    send(kind: 1, [0xa3, 0, 1, 1, 1, 4, 0x61, 0x78])
    send(kind: 2, [0xa1, 0, 0x80])
    // Once the receive buffer is full, the hub queues.
    var available: Int32 = 0
    #expect(
      await bench.until {
        ioctl(client, UInt(FIONREAD), &available) == 0 && available > 100_000
      })
    for _ in 0..<20 { bench.loop.run(.noWait) }
    send(kind: 5, [])
    #expect(
      await bench.until {
        var poll = pollfd(fd: client, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, 0) == 1 && poll.revents & Int16(POLLHUP) != 0
      })
    #expect(server.connectionCount == 0)

    close(client)
    #expect(await bench.stop(server))
    bench.clean()
  }
}
