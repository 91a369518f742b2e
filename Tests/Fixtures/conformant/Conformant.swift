import AsyncClient
import Dispatch
import Glibc
import JSONParser
import JSONText
import ReplicaCore
import SchemaNames
import Synchronization

/// The Swift client for the conformance suite (Tests/Conformance): reads commands and writes what happens, as lines of
/// JSON.
///
/// It uses the half of the client that knows no types, since it learns only at run time which hub it talks to. The parts
/// of the suite's scripted hub are typed nevertheless; those of a real hub are read by its schema.
@main
struct Conformant {
  static func main() async throws {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    DispatchQueue.global().async {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    var session: Session?
    for await line in lines {
      let command = try JSONValue(parsing: line)
      switch command["do"] {
      case .string("connect"):
        guard case .string(let path)? = command["socket"] else { throw Malformed(line: line) }
        session = Session(path)
      case .string("close"):
        await session?.close()
        return
      default:
        guard let session else { throw Malformed(line: line) }
        try await session.perform(command, line)
      }
    }
  }
}

struct Malformed: Error {
  let line: String
}

/// A client, its parts, and its actions. One task uses it.
final class Session {
  private let connection: AsyncConnection
  private let running: Task<Void, Never>
  private var parts: [Int: Part] = [:]
  private var sent: [Int: SentAction] = [:]

  private struct Part {
    let key: WatchedPart.Key
    let watching: Task<Void, Never>
  }

  init(_ path: String) {
    let options = ReplicaOptions(name: "conformant", shortestDelay: .milliseconds(20), longestDelay: .milliseconds(200))
    let connection = AsyncConnection(
      to: path, schema: nil, options: options, pendingBytes: 64 << 20, onDivergence: { _ in })
    self.connection = connection
    running = Task { await connection.run(grace: .seconds(2)) }
    Task {
      for await state in connection.states() {
        if case .refused(let reason) = state { write(["ended": .string(reason)]) }
      }
    }
  }

  func close() async {
    running.cancel()
    await running.value
  }

  func perform(_ command: JSONValue, _ line: String) async throws {
    switch command["do"] {
    case .string("attach"):
      guard let number = command["part"]?.integer, case .array(let steps)? = command["path"] else { break }
      return await attach(number, steps)
    case .string("detach"):
      guard let number = command["part"]?.integer else { break }
      parts.removeValue(forKey: number)?.watching.cancel()
      return
    case .string("verify"):
      guard let number = command["part"]?.integer, let part = parts[number] else { break }
      return await connection.verify(part.key)
    case .string("send"):
      guard let number = command["action"]?.integer, case .string(let text)? = command["bytes"],
        let bytes = [UInt8](hexadecimal: text)
      else { break }
      return await send(number, bytes)
    case .string("cancel"):
      guard let number = command["action"]?.integer else { break }
      await sent[number]?.cancelEffects()
      return
    default: break
    }
    throw Malformed(line: line)
  }

  /// The schema of the feature, which is that of the first hub.
  private func schema() async -> Schema? {
    if let schema = await connection.schema { return schema }
    for await state in connection.states() where state == .live { break }
    return await connection.schema
  }

  private func attach(_ number: Int, _ steps: [JSONValue]) async {
    guard let schema = await schema() else { return }
    do {
      let path = try schema.path(named: try Self.text(of: steps), allowsWindow: true)
      let key = WatchedPart.Key(path, as: JudgedMirror.self)
      let types = schema.isScripted ? try schema.rooted(at: path) : nil
      parts[number] = Part(key: key, watching: Task { [connection] in await watch(key, types, number, on: connection) })
    } catch {
      write(["part": .integer(number), "error": .string("\(error)")])
    }
  }

  /// A path in users' notation.
  private static func text(of steps: [JSONValue]) throws -> String {
    var text = ""
    for step in steps {
      if case .string(let name) = step {
        text += text.isEmpty ? name : ".\(name)"
      } else if let id = step["id"] {
        text += "[\(id)]"
      } else if case .array(let bounds)? = step["window"], let start = bounds[0].integer, let count = bounds[1].integer
      {
        text += start < 0 ? "[\(start)...]" : "[\(start)..<\(start + count)]"
      } else {
        throw Malformed(line: "\(step)")
      }
    }
    return text
  }

  private func send(_ number: Int, _ bytes: [UInt8]) async {
    guard let schema = await schema() else { return }
    do {
      if schema.isScripted {
        _ = try Scripted.Action(decoding: bytes.span.bytes)
      } else {
        var decoder = CBORDecoder(bytes.span.bytes)
        _ = try SchemaValues(schema).value(of: schema.action, from: &decoder)
        try decoder.finish()
      }
      let action = try await connection.begin(bytes)
      sent[number] = action
      Task { await Session.report(number, action) }
    } catch {
      write(Self.outcome(number, error))
    }
  }

  private static func report(_ number: Int, _ action: SentAction) async {
    do {
      try await action.applied()
      write(["action": .integer(number), "outcome": "applied"])
    } catch {
      write(outcome(number, error))
    }
  }

  private static func outcome(_ number: Int, _ error: any Error) -> JSONValue {
    let action = JSONValue.integer(number)
    return switch error as? ActionError {
    case .rejected(let code, let reason):
      ["action": action, "outcome": "rejected", "code": .integer(code), "reason": .string(reason)]
    case .outcomeUnknown: ["action": action, "outcome": "unknown"]
    default: ["action": action, "outcome": "invalid"]
    }
  }
}

/// Writes the values of a part.
private func watch(_ key: WatchedPart.Key, _ types: Schema?, _ number: Int, on connection: AsyncConnection) async {
  let changes = connection.changes(of: key) {
    JudgedMirror(of: types) { write(["part": .integer(number), "matches": .bool($0.here == $0.there)]) }
  }
  for await _ in changes {
    let line = await connection.read(key, as: JudgedMirror.self) { mirror, refusal, _ -> JSONValue in
      if let refusal { return ["part": .integer(number), "error": .string(refusal)] }
      let bytes = mirror.bytes.map { JSONValue.string($0.hexadecimal) } ?? .null
      return ["part": .integer(number), "revision": .integer(mirror.revision ?? 0), "bytes": bytes]
    }
    if let line { write(line) }
  }
}

/// Writes a line. Tasks write at the same time, and a pipe mixes lines of more than 4,096 bytes (pipe(7)).
private func write(_ line: JSONValue) {
  let bytes = Array("\(line)\n".utf8)
  output.withLock { _ in
    _ = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

private let output = Mutex(())

extension JSONValue {
  fileprivate var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
}
