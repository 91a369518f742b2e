import Features
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A conversation with a hub as text: each frame as bytes and in diagnostic notation.
///
/// The text is kept in `Tests/Golden` for authors of clients. `STOREHUB_GOLDEN=write` in the environment of the test
/// writes it again.
final class GoldenTranscript {
  private var engine = FeatureEngine(initialState: State(), reducer: AppFeature())
  private var core: HubCore
  private var now = Duration.seconds(1000)
  private var text: String
  private var names: [ConnectionID: String] = [:]
  private var decoders: [ConnectionID: FrameDecoder] = [:]
  /// The session from the last welcome.
  private(set) var session: SessionID?

  init(_ title: String, limits: HubLimits = HubLimits()) {
    core = HubCore(engine, limits: limits, name: "hub", random: SplitMix(seed: 7))
    text = """
      # \(title)
      #
      # ">" is a frame from the client, "<" one from the hub, "@" an event, "#" a remark. The feature is AppFeature.
      # header: length u32, kind u8, flags u8, scope u16, revision u64, little-endian. notation: RFC 8949, section 8.
      # Written by STOREHUB_GOLDEN=write swift test --filter GoldenTranscriptTests; docs/PROTOCOL.md explains it.

      """
  }

  // MARK: What happens

  func remark(_ words: String) {
    text += "\n# \(words)\n"
  }

  func connect(_ name: String) -> ConnectionID {
    text += "\n@ connection \(name) opens\n"
    let id = core.connected(Peer(process: 1, user: 1000, group: 1000), at: now)
    names[id] = name
    decoders[id] = FrameDecoder(payloadLimit: 1 << 24)
    return id
  }

  func cut(_ id: ConnectionID) {
    text += "\n@ connection \(names[id] ?? "") is cut\n"
    core.ended(id)
  }

  func hubActs(_ action: Action) {
    text += "\n@ the hub applies an action of its own\n"
    line("notation", (try? notation(action.encoded())) ?? "")
    engine.send(action)
  }

  /// Fills the connection's socket until `drain`.
  func fill(_ id: ConnectionID) {
    text += "\n@ the socket of connection \(names[id] ?? "") is full\n"
    core.noteBusy(id)
  }

  func drain(_ id: ConnectionID) {
    text += "\n@ the socket of connection \(names[id] ?? "") has room again\n"
    core.drained(id, at: now)
  }

  func wait(_ time: Duration) {
    text += "\n@ \(time) pass\n"
    now += time
    core.expire(at: now)
  }

  /// Replaces the hub's process by one that has its state and its sessions, as from a journal.
  func restart(_ sessions: [LoggedSession]) {
    text += "\n@ the hub's process ends, and another one continues\n"
    let (id, revision) = (core.historyID, core.revision)
    engine = FeatureEngine(initialState: engine.state, reducer: AppFeature())
    core = HubCore(
      engine, name: "hub",
      history: HubHistory(id: id, isLogged: false, position: revision, sessions: sessions, versions: []),
      random: SplitMix(seed: 8))
  }

  func shutDown(_ reason: String) {
    text += "\n@ the hub stops\n"
    core.shutDown(reason: reason, at: now)
  }

  // MARK: Frames

  func send(_ message: some Message, scope: UInt16 = 0, on id: ConnectionID) throws {
    var writer = FrameWriter()
    writer.frame(message, scope: scope)
    try send(writer.bytes, on: id)
  }

  func send(
    _ kind: FrameKind, flags: UInt8 = 0, scope: UInt16 = 0, on id: ConnectionID,
    _ body: (inout CBOREncoder) -> Void = { _ in }
  ) throws {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: kind, flags: flags, scope: scope)) { body(&$0) }
    try send(writer.bytes, on: id)
  }

  func send(
    _ actions: [Action], from first: UInt64, acknowledged: UInt64 = 0, mayCancel: Bool = false, on id: ConnectionID
  ) throws {
    try send(.actions, flags: FrameHeader.actions(seen: nil, mayCancel: mayCancel).flags, on: id) { encoder in
      encoder.unsigned(first)
      encoder.unsigned(acknowledged)
      for action in actions { action.encode(to: &encoder) }
    }
  }

  /// Sends bytes that may be less than a frame, or not match their header.
  func send(_ bytes: [UInt8], on id: ConnectionID) throws {
    try write(">", bytes, on: id)
    let (span, now) = (bytes.span.bytes, now)
    core.received(span, on: id, at: now)
  }

  /// Ends the hub's turn and records its output.
  func turn() throws {
    core.endTurn()
    let (commands, output, ranges) = (core.commands, core.output.bytes, core.ranges)
    core.clear()
    for command in commands {
      switch command {
      case .write(let id, let run):
        try received(ranges[run].flatMap { output[$0] }, on: id)
      case .close(let id), .abort(let id):
        text += "\n@ the hub closes connection \(names[id] ?? "")\n"
        core.ended(id)
      case .report, .effect, .resumeReading, .store, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    core.clear()
  }

  private func received(_ bytes: [UInt8], on id: ConnectionID) throws {
    var frames: [[UInt8]] = []
    var offset = 0
    try decoders[id]?.feed(bytes.span.bytes) { header, _ in
      let end = offset + FrameHeader.byteCount + Int(header.length)
      frames.append(Array(bytes[offset..<end]))
      offset = end
    }
    for frame in frames { try write("<", frame, on: id) }
  }

  private func write(_ direction: String, _ bytes: [UInt8], on id: ConnectionID) throws {
    let (header, payload) = (bytes.prefix(FrameHeader.byteCount), Array(bytes.dropFirst(FrameHeader.byteCount)))
    let kind = FrameKind(rawValue: header[4])
    let name = kind.map { "\($0)" } ?? "kind \(header[4])"
    text += "\n\(direction) \(name) on connection \(names[id] ?? "")\n"
    let fields = [0..<4, 4..<5, 5..<6, 6..<8, 8..<16].map { Array(header[$0]).hexadecimal }
    line("header", fields.joined(separator: " "))
    if payload.isEmpty { return }
    line("payload", payload.hexadecimal)
    guard let kind, let notation = try? notation(payload) else { return line("notation", "(not CBOR)") }
    line("notation", notation)
    switch kind {
    case .welcome: session = try Welcome(decoding: payload.span.bytes).session
    case .snapshot where header[5] & SnapshotPiece.finalFlag != 0:
      line("state", try self.notation([UInt8](try SnapshotPiece(CBORDecoder(payload.span.bytes)).bytes)))
    default: break
    }
  }

  private func line(_ name: String, _ content: String) {
    text += "  \(name): \(content)\n"
  }

  /// Returns the diagnostic notation of a sequence of items.
  private func notation(_ bytes: [UInt8]) throws -> String {
    var decoder = CBORDecoder(bytes.span.bytes)
    var items: [String] = []
    while !decoder.isAtEnd { items.append("\(try CBORValue(from: &decoder))") }
    return items.joined(separator: ", ")
  }

  // MARK: The file

  /// Compares the transcript with the file of this name, or writes the file.
  func check(_ name: String) throws {
    let file = RepositoryFiles.url("Tests/Golden/\(name).txt")
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      try text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, pair) in zip(golden, lines).enumerated() where pair.0 != pair.1 {
      Issue.record(
        """
        \(name).txt, line \(number + 1): the file has
        \(pair.0)
        and the hub
        \(pair.1)
        A change here breaks clients. If that is meant, run with STOREHUB_GOLDEN=write and change docs/PROTOCOL.md.
        """)
      return
    }
    #expect(golden.count == lines.count)
  }
}
