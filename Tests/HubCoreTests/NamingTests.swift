import Features
import HubCore
import TestSupport
import Testing
import Wire

/// The names of actions in received bytes, for the operator's log.
@Suite struct NamingTests {
  private let increment = Action.counter(.incrementButtonTapped).encoded()
  private let decrement = Action.counter(.decrementButtonTapped).encoded()

  @Test func theActionsOfWholeFramesAreNamed() throws {
    let hub = Hub()
    let frames = actionsFrame([increment, decrement, increment], from: 1) + leaveFrame
    let names = hub.core.names(ofActionsIn: (frames + [0, 0]).span.bytes, from: 0)
    #expect(names == ["counter.incrementButtonTapped", "counter.decrementButtonTapped"])
    let cut = hub.core.names(ofActionsIn: frames.span.bytes.extracting(0..<18), from: 0)
    #expect(cut.isEmpty)
  }

  /// The rest of a frame may look like a frame of its own.
  @Test(arguments: [1, 15, 16, 40, 60]) func theRestOfAFrameIsNotNamed(cut: Int) throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let disguised = actionsFrame([decrement], from: 1)
    let first = actionsFrame([CBORValue.bytes(disguised + disguised).encoded()], from: 1)
    let bytes = first + actionsFrame([increment], from: 2)
    hub.send(Array(bytes[..<cut]), on: client)
    let start = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { start.deallocate() }
    start.initialize(to: -1)
    hub.core.storeReadStarts(in: start)
    /// The number of bytes from an offset to the end of the frame that contains it.
    func restOfFrame(from offset: Int) -> Int { (offset <= first.count ? first.count : bytes.count) - offset }
    let part = Array(bytes[cut...].prefix(5))
    hub.send(part, on: client)
    #expect(start.pointee == min(5, restOfFrame(from: cut)))
    let rest = Array(bytes[cut...].dropFirst(5))
    hub.send(rest, on: client)
    #expect(start.pointee == restOfFrame(from: cut + 5))
    let names = hub.core.names(ofActionsIn: rest.span.bytes, from: start.pointee)
    #expect(names == (cut + 5 <= first.count ? ["counter.incrementButtonTapped"] : []))
    hub.send(actionsFrame([increment], from: 3), on: client)
    #expect(start.pointee == 0)
  }

  /// Actions that took effect already do not wait.
  @Test func theActionsThatWaitAreNamedFromWhereTheirFrameContinues() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let frame = actionsFrame(Array(repeating: increment, count: 3) + [decrement], from: 1)
    hub.core.received(frame.span.bytes, on: client, at: hub.now, limit: 4)
    #expect(hub.engine.state.counter.count == 3)
    let names = hub.core.names(ofActionsThatWaitOn: client)
    #expect(names == ["counter.decrementButtonTapped"])
  }

  /// A backlog may have more than 1 MiB, and the loop waits while it is decoded.
  @Test func onlyTheFirstOfManyWaitingActionsAreDecoded() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let many = actionsFrame(Array(repeating: increment, count: 65_536 / increment.count) + [decrement], from: 1)
    hub.core.received(many.span.bytes, on: client, at: hub.now, limit: 0)
    let names = hub.core.names(ofActionsThatWaitOn: client)
    #expect(names == ["counter.incrementButtonTapped"])
  }

  /// An action that is too long to be decoded has no name, and what follows it is not looked for.
  @Test func aLongActionIsNotDecoded() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let long = Action.todos(.addButtonTapped(text: String(repeating: "a", count: 65_536))).encoded()
    let frame = actionsFrame([increment, long, decrement], from: 1)
    hub.core.received(frame.span.bytes, on: client, at: hub.now, limit: 0)
    let names = hub.core.names(ofActionsThatWaitOn: client)
    #expect(names == ["counter.incrementButtonTapped"])
  }
}
