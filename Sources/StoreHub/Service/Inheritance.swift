internal import Glibc
internal import HubCore
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess

/// The descriptors that the service manager passed to this process at its start: the listening socket, and those that
/// the previous process has left.
///
/// ```swift
/// let inheritance = try Inheritance.take()
/// let server = try HubServer(engine, inheritance: inheritance, loop: loop, path: path, log: log)
/// ```
public struct Inheritance: Sendable {
  /// A listening socket.
  struct Listener: Sendable {
    let descriptor: CInt
    let path: String
    /// True if a hub, not the service manager, has bound the socket, so that its file belongs to the hub.
    let isOwn: Bool
  }

  /// The names of the descriptors that a hub leaves to the next process.
  enum Name {
    static let listener = "storehub-listener"
    /// A descriptor box with the record and the connections.
    static let connections = "storehub-connections"
    /// The records of connections at rest.
    static let table = "storehub-idle"
    static let all = [listener, connections, table]

    /// Returns the descriptor name of a connection at rest, made from the inode of its socket.
    static func connection(_ inode: UInt64) -> String { "\(table)-\(inode)" }

    /// Returns true if a hub gives descriptors this name.
    static func isKnown(_ name: String) -> Bool { all.contains(name) || name.hasPrefix("\(table)-") }
  }

  /// The name of the listening socket for the hub's metrics (`FileDescriptorName=`).
  static let metricsName = "metrics"

  /// The listening socket; nil for a hub that binds its own.
  var listener: Listener?
  /// The connections, by the inodes of their sockets.
  var connections: [UInt64: CInt] = [:]
  /// The record of the connections.
  var handOver: HandOver?
  /// The reason why the record cannot be used.
  var refusal: HandOverRefusal?
  /// The connections that the previous process gave to the service manager while it ran, by the inodes of their
  /// sockets, except those in `connections`.
  private(set) var kept: [UInt64: CInt] = [:]
  /// The inodes of all connections that the previous process gave while it ran.
  private(set) var keptInodes: Set<UInt64> = []
  /// The valid records of connections at rest.
  private var records: [[UInt8]] = []
  /// True if the service manager had a table of records.
  private(set) var hasTable = false
  /// The listening socket for the hub's metrics, if the service manager passes one.
  private(set) var metrics: CInt?
  /// Sockets of other names, for the program.
  public private(set) var others: [(name: String, descriptor: CInt)] = []

  /// Creates an empty inheritance.
  public init() {}

  /// Takes the passed descriptors. A second call returns none.
  ///
  /// - Parameter socketName: The name of the hub's socket (`FileDescriptorName=`), if the service manager passes
  ///   several.
  /// - Throws: The reason why the passed descriptors cannot be used.
  public static func take(socketName: String = "hub") throws(InheritanceError) -> Inheritance {
    var inheritance = Inheritance()
    var passed: [PassedDescriptor]
    do throws(PassedDescriptorError) { passed = try PassedDescriptor.take() } catch {
      throw InheritanceError(description: "\(error)")
    }
    inheritance.takeKept(&passed)
    try inheritance.takeMetrics(&passed)
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
          the descriptor \(socket.name) that the service manager passed is not a listening Unix stream socket with a path; \
          use ListenStream= with a path, and Accept=no
          """)
    }
    if let own = inheritance.listener {
      // The socket that the previous process has bound: its clients must not wait for answers.
      close(own.descriptor)
      ServiceManager().removeDescriptors(named: Name.listener)
    }
    inheritance.listener = Listener(descriptor: socket.descriptor, path: path, isOwn: false)
    return inheritance
  }

  /// Takes the socket for metrics, which is of any kind: the service manager may listen on a port, although the hub has
  /// no network.
  private mutating func takeMetrics(_ passed: inout [PassedDescriptor]) throws(InheritanceError) {
    for socket in passed where socket.name == Self.metricsName {
      guard metrics == nil, socket.isListeningStreamSocket else {
        let problem = metrics == nil ? "is not a listening stream socket" : "is not the only one"
        throw InheritanceError(
          description: """
            the descriptor \(socket.name) that the service manager passed \(problem); use one ListenStream=, and Accept=no
            """)
      }
      metrics = socket.descriptor
    }
    passed.removeAll { $0.name == Self.metricsName }
  }

  /// Takes the descriptors that the previous process has left.
  private mutating func takeKept(_ passed: inout [PassedDescriptor]) {
    for kept in passed where Name.isKnown(kept.name) {
      switch kept.name {
      case Name.listener:
        guard let path = kept.socketPath, listener == nil else {
          close(kept.descriptor)
          continue
        }
        listener = Listener(descriptor: kept.descriptor, path: path, isOwn: true)
      case Name.connections:
        open(kept.descriptor)
        close(kept.descriptor)
      case Name.table:
        hasTable = true
        records = RestingTable.records(in: kept.descriptor)
        close(kept.descriptor)
      default:
        keep(kept.descriptor)
      }
    }
    passed.removeAll { Name.isKnown($0.name) }
  }

  /// Takes a connection that the previous process gave to the service manager while it ran.
  private mutating func keep(_ descriptor: CInt) {
    guard let inode = Self.inode(of: descriptor), kept[inode] == nil else {
      close(descriptor)
      return
    }
    kept[inode] = descriptor
    keptInodes.insert(inode)
  }

  /// Takes the record and the connections out of their box. If this process crashes, the box is empty, so that the next
  /// process does not find an outdated record. What is no connection, or the second descriptor of one, is closed.
  mutating func open(_ box: CInt) {
    let descriptors = DescriptorBox.take(from: box)
    guard let record = descriptors.first else { return }
    read(record)
    close(record)
    for descriptor in descriptors.dropFirst() {
      guard let inode = Self.inode(of: descriptor), connections[inode] == nil else {
        close(descriptor)
        continue
      }
      connections[inode] = descriptor
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

  /// The inode of an open socket, which is the same in every process; nil for what is no socket, whose inode may be that
  /// of a socket.
  static func inode(of descriptor: CInt) -> UInt64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return UInt64(status.st_ino)
  }
}

/// A reason why the descriptors from the service manager cannot be used.
public struct InheritanceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem, and the remedy.
  public let description: String
}

extension Inheritance {
  /// Checks that the connections of the previous process can be taken over, and closes them if not, with a *goodbye* if
  /// the schema is another; their clients reconnect.
  ///
  /// - Returns: The starting point of the hub.
  mutating func settle<State, Action>(
    _ engine: FeatureEngine<State, Action>, _ logged: HubHistory?, log: Log
  ) -> HubHistory? {
    takeResting(engine, logged, log)
    guard handOver != nil || refusal != nil || !connections.isEmpty else { return logged }
    var history = logged
    do throws(HandOverRefusal) {
      if let refusal { throw refusal }
      guard let handOver else { throw .malformed("the previous process has left connections without a record") }
      if logged == nil { history = try handOver.restore(engine, id: .random(in: 0 ... .max)) }
      try handOver.check(against: engine, history)
      return history?.continuing(handOver)
    } catch {
      log.write(
        .warning, "\(counted(connections.count, "connection")) of the previous process cannot be taken over: \(error)",
        Log.Details(.takeoverRefused, ["REASON": "\(error)", "COUNT": "\(connections.count)"]))
      let goodbyes = handOver?.goodbyes(engine, history ?? logged) ?? [:]
      for (inode, descriptor) in connections {
        if let bytes = goodbyes[inode] { Self.say(bytes, to: descriptor) }
        // Other processes may also have the socket open, so closing the descriptor is not enough.
        shutdown(descriptor, CInt(SHUT_RDWR))
        close(descriptor)
      }
      (connections, handOver) = ([:], nil)
      ServiceManager().removeKept()
      return history
    }
  }
}

extension Inheritance {
  /// Continues connections at rest if the log permits it. A missing hand-over means that the previous process has
  /// crashed.
  private mutating func takeResting<State, Action>(
    _ engine: FeatureEngine<State, Action>, _ logged: HubHistory?, _ log: Log
  ) {
    guard handOver == nil, refusal == nil, connections.isEmpty else { return }
    sayGoodbye(HandOver.goodbyes(resting: records, engine, logged), log)
    guard let logged else { return }
    var random = SystemRandomNumberGenerator()
    guard let resting = HandOver(resting: records, engine: engine, history: logged, random: &random) else { return }
    handOver = resting
    for token in resting.tokens {
      if let descriptor = kept.removeValue(forKey: token) { connections[token] = descriptor }
    }
  }

  /// Tells the clients at rest of a crashed process that cannot continue, because they were told another schema. Their
  /// connections are closed with the others that are not taken over.
  private func sayGoodbye(_ goodbyes: [UInt64: [UInt8]], _ log: Log) {
    var count = 0
    for (inode, bytes) in goodbyes {
      guard let descriptor = kept[inode] else { continue }
      Self.say(bytes, to: descriptor)
      count += 1
    }
    guard count > 0 else { return }
    let reason = HandOverRefusal.otherSchema
    log.write(
      .warning,
      """
      \(counted(count, "connection")) at rest of the previous process, which crashed, cannot be taken over: \(reason)
      """,
      Log.Details(.takeoverRefused, ["REASON": "\(reason)", "COUNT": "\(count)"]))
  }

  /// Writes the last bytes to a connection. A client that has not read its earlier output gets as much as its socket
  /// accepts; it sees the end in any case.
  private static func say(_ bytes: [UInt8], to descriptor: CInt) {
    _ = send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
  }
}

extension ServiceManager {
  /// Tells the service manager to close the descriptors that the previous process has left. This process has its own
  /// copies, or does not need them.
  func removeKept() {
    for name in Inheritance.Name.all { removeDescriptors(named: name) }
  }
}
