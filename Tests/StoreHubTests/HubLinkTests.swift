import BrowserTerminal
import ComposableArchitecture
import EventLoop
import Features
import HubCore
import ReplicaCore
import SchemaBrowser
import StoreHub
import Testing
import Wire

/// The connection of the terminal for any hub, over a real socket.
@Suite(.serialized, .timeLimit(.minutes(30))) struct HubLinkTests {
  /// It was once taken for a collection that does not exist.
  @Test func aWindowThatTheHubCannotServeIsRefusedWithTheReason() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.windowElements = 100
    let server = try bench.serve(limits: limits)
    let link = try HubLink(on: bench.loop, to: bench.path, options: ReplicaOptions(subscribesToWholeState: false))
    var (received, reasons): ([String], [String]) = ([], [])
    link.onEvent = { event in
      switch event {
      case .received(let path, _): received.append(path)
      case .refused(_, let reason): reasons.append(reason ?? "")
      default: break
      }
    }
    link.start()
    #expect(await bench.until { link.connection == .live && link.windowLimit == 100 })
    link.follow(["counter.count", "todos.todos[0..<200]"], hub: false)
    #expect(await bench.until { !reasons.isEmpty && received.contains("counter.count") })
    #expect(reasons == ["a window of this hub has at most 100 elements, and 200 were requested"])
    #expect(received == ["counter.count"])
    link.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aPartBeyondALimitArrivesWhenAnotherIsNoLongerShown() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.scopes = 1
    let server = try bench.serve(limits: limits)
    let link = try HubLink(on: bench.loop, to: bench.path, options: ReplicaOptions(subscribesToWholeState: false))
    var (received, waiting): ([String], [String]) = ([], [])
    link.onEvent = { event in
      switch event {
      case .received(let path, _): received.append(path)
      case .foundNoRoom(let path, let reason): waiting.append("\(path): \(reason)")
      default: break
      }
    }
    link.start()
    #expect(await bench.until { link.connection == .live })
    link.follow(["counter.count", "counter.isTimerOn"], hub: false)
    #expect(await bench.until { !waiting.isEmpty && !received.isEmpty })
    #expect(received == ["counter.count"])
    #expect(waiting.count == 1 && waiting.first?.hasPrefix("counter.isTimerOn: ") == true, "\(waiting)")
    link.follow(["counter.isTimerOn"], hub: false)
    #expect(await bench.until { received.contains("counter.isTimerOn") })
    link.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
