internal import Glibc
internal import HubCore
internal import ServiceManager

/// What the service manager passed to this process at its start: the socket to listen on, and what the process before has
/// left for this one.
///
/// ```swift
/// let inheritance = try Inheritance.take()
/// let server = try HubServer(engine, inheritance: inheritance, loop: loop, path: path, log: log)
/// ```
public struct Inheritance: Sendable {
  /// A socket that listens.
  struct Listener: Sendable {
    let descriptor: CInt
    let path: String
    /// Whether a hub has bound it, and not the service manager, so that its file is the hub's.
    let isOwn: Bool
  }

  /// The names under which a hub leaves descriptors to the next process.
  enum Name {
    static let listener = "storehub-listener"
    /// A box with the record and the connections.
    static let connections = "storehub-connections"
    static let all = [listener, connections]
  }

  /// The socket to listen on; nil for a hub that binds its own.
  var listener: Listener?
  /// The connections, by the inodes of their sockets.
  var connections: [UInt64: CInt] = [:]
  /// The connections' record.
  var handOver: HandOver?
  /// Why the record cannot be used.
  var refusal: HandOverRefusal?
  /// Sockets of other names, for the program.
  public private(set) var others: [(name: String, descriptor: CInt)] = []

  /// Nothing.
  public init() {}

  /// Takes what was passed; nothing the second time.
  ///
  /// - Parameter socketName: The name of the hub's socket, if the service manager passes several: `FileDescriptorName=`.
  /// - Throws: Why the passed descriptors cannot be used.
  public static func take(socketName: String = "hub") throws(InheritanceError) -> Inheritance {
    var inheritance = Inheritance()
    var passed: [PassedDescriptor]
    do throws(PassedDescriptorError) { passed = try PassedDescriptor.take() } catch {
      throw InheritanceError(description: "\(error)")
    }
    inheritance.takeKept(&passed)
    let sockets = passed.filter { $0.name == socketName }
    // A single socket needs no name.
    let chosen = sockets.isEmpty && passed.count == 1 ? passed : sockets
    guard chosen.count <= 1 else {
      throw InheritanceError(
        description:
          "the service manager passed \(chosen.count) sockets of the name \(socketName); a hub listens on one")
    }
    for descriptor in passed where descriptor.descriptor != chosen.first?.descriptor {
      inheritance.others.append((descriptor.name, descriptor.descriptor))
    }
    guard let socket = chosen.first else { return inheritance }
    guard socket.isListeningUnixSocket, let path = socket.socketPath else {
      throw InheritanceError(
        description: """
          the descriptor \(socket.name) that the service manager passed is no listening Unix stream socket with a path; \
          use ListenStream= with a path, and Accept=no
          """)
    }
    inheritance.listener = Listener(descriptor: socket.descriptor, path: path, isOwn: false)
    return inheritance
  }

  /// Takes what the process before has left.
  private mutating func takeKept(_ passed: inout [PassedDescriptor]) {
    for kept in passed where Name.all.contains(kept.name) {
      switch kept.name {
      case Name.listener:
        guard let path = kept.socketPath, listener == nil else {
          close(kept.descriptor)
          continue
        }
        listener = Listener(descriptor: kept.descriptor, path: path, isOwn: true)
      default:
        open(kept.descriptor)
        close(kept.descriptor)
      }
    }
    passed.removeAll { Name.all.contains($0.name) }
  }

  /// Takes the record and the connections out of their box. It is empty if another process has taken them and crashed:
  /// nobody must find what is not true any more.
  private mutating func open(_ box: CInt) {
    let descriptors = DescriptorBox.take(from: box)
    guard let record = descriptors.first else { return }
    read(record)
    close(record)
    for descriptor in descriptors.dropFirst() {
      if let inode = Self.inode(of: descriptor) { connections[inode] = descriptor }
    }
  }

  private mutating func read(_ record: CInt) {
    do throws(HandOverRefusal) {
      guard let bytes = MemoryFile.contents(of: record) else { throw .malformed("the record cannot be read") }
      handOver = try HandOver(reading: bytes)
    } catch {
      refusal = error
    }
  }

  /// The inode of an open socket, which is the same in every process that has it.
  static func inode(of descriptor: CInt) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}

/// Why what the service manager passed cannot be used.
public struct InheritanceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What happened, and what to do.
  public let description: String
}

extension Inheritance {
  /// Decides whether the connections of the process before can go on, and closes them if not: their clients come back by
  /// themselves.
  ///
  /// - Returns: What the hub goes on from.
  mutating func settle<State, Action>(
    _ engine: FeatureEngine<State, Action>, _ logged: HubHistory?, log: Log
  ) -> HubHistory? {
    guard handOver != nil || refusal != nil || !connections.isEmpty else { return logged }
    var history = logged
    do throws(HandOverRefusal) {
      if let refusal { throw refusal }
      guard let handOver else { throw .malformed("the process before has left connections without a record") }
      if logged == nil { history = try handOver.restore(engine, id: .random(in: 0 ... .max)) }
      try handOver.check(against: engine, history)
      return history?.continuing(handOver)
    } catch {
      log.write(
        .warning, "\(connections.count) connections of the process before cannot be taken over: \(error)",
        Log.Details(.takeoverRefused, ["REASON": "\(error)", "COUNT": "\(connections.count)"]))
      for descriptor in connections.values { close(descriptor) }
      (connections, handOver) = ([:], nil)
      ServiceManager().removeKept()
      return history
    }
  }
}

extension ServiceManager {
  /// Has the service manager close what the process before has left, which this one has open itself or does not want.
  func removeKept() {
    for name in Inheritance.Name.all { removeDescriptors(named: name) }
  }
}
