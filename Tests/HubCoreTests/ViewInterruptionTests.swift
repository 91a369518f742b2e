import TestFeatures
import Testing
import Wire

@testable import HubCore

/// The hub's reaction to views during which earlier processes have ended.
@Suite struct ViewInterruptionTests {
  private let counts = ViewIdentity("counts", parameter: nil, user: nil)

  /// The number of views that a hub has skipped.
  private func skipped(by hub: ViewHub) -> Int {
    hub.reports.count { if case .skipped = $0 { true } else { false } }
  }

  @Test func aViewDuringWhichTwoProcessesEndedIsAbsentWithAReason() throws {
    let memory = MarkMemory()
    for ends in 1...2 {
      memory.end(in: counts)
      let hub = ViewHub()
      hub.core.setMark(memory.mark())
      let (client, _) = try hub.open()
      let frames = try hub.attach("counts", on: client)
      guard ends == 2 else {
        #expect(frames.map(\.kind) == [.snapshot] && skipped(by: hub) == 0)
        // It has succeeded, so that end was by chance.
        #expect(memory.mark().interruptions == Interruptions())
        memory.end(in: counts)
        continue
      }
      #expect(frames.map(\.kind) == [.absent] && skipped(by: hub) == 1)
      #expect(try frames[0].text.contains("has ended 2 times while it computed 'view:counts'"))
      // Others are served, and this one is not computed when the state changes.
      #expect(try hub.attach("open", scope: 1, on: client).map(\.kind) == [.snapshot])
      hub.send(.add(owner: 1, title: "a"), on: client)
      #expect(hub.turn(client).map(\.kind) == [.delta, .applied])
      #expect(hub.takeComputed()["counts"] == nil && hub.closed.isEmpty)
      // Its reason is repeated for who asks for a hash.
      hub.frame(FrameHeader(kind: .verify, scope: 0), on: client)
      #expect(hub.turn(client).map(\.kind) == [.absent])
    }
  }

  @Test func theMarkNamesTheViewThatIsComputed() throws {
    let memory = MarkMemory()
    var places: [Interruption.Place] = []
    let hub = ViewHub(
      views: StateViews {
        StateView("echo", of: \.note, parameter: String.self) { note, text in
          if let last = memory.copy().mark().last { places.append(last.place) }
          return note + text
        }
      })
    hub.core.setMark(memory.mark())
    let (client, _) = try hub.open()
    let parameter = String(repeating: "x", count: 1000).encoded()
    hub.send(Attach(root: .views, path: [0, .id(parameter)]), on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
    let identity = ViewIdentity("echo", parameter: parameter, user: nil)
    #expect(places == [.own(.view, name: "echo", checksum: identity.checksum)])
    #expect(memory.copy().mark().last == nil)
  }

  /// A client that chooses parameters for which a view traps ends three processes at most.
  @Test func aViewThatEndsThreeProcessesWithDifferentParametersIsAbsentForAll() throws {
    let memory = MarkMemory()
    for owner in 1...3 as ClosedRange<UInt32> {
      let parameter = Chores.Choice(owner: owner, isDone: false).encoded()
      memory.end(in: ViewIdentity("chosen", parameter: parameter, user: nil))
    }
    let hub = ViewHub()
    hub.core.setMark(memory.mark())
    let (client, _) = try hub.open()
    let parameter = Chores.Choice(owner: 9, isDone: true).encoded()
    hub.send(Attach(root: .views, path: [2, .id(parameter)]), on: client)
    #expect(hub.turn(client).map(\.kind) == [.absent])
  }
}
