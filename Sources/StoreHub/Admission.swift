internal import EventLoop
internal import Glibc
internal import HubCore
internal import Wire

/// The connections that were accepted and are not served yet, user by user.
///
/// The kernel's queue is the same for all users, and first come, first served. So the hub empties it faster than it opens
/// connections, refuses at once what exceeds a user's limit, and opens the others one of each user in turn: a user who
/// fills the queue keeps others waiting for no longer than accepting takes.
struct Admission {
  // Turns are short, since in each one the clients that are connected are answered too. There are thousands in a second.

  /// How many connections are taken out of the kernel's queue in one turn.
  static let acceptedPerTurn = 16
  /// How many are opened as they come; most turns have none or one.
  private static let openedAtOnce = 2
  /// How long opening those that wait may take in one turn, in nanoseconds; at least one is opened.
  static let openingTime: UInt64 = 50_000

  /// The users with connections that wait, in the order in which they take turns.
  private var queues: [(user: UInt32, descriptors: [CInt])] = []
  /// How many connections wait.
  private(set) var count = 0
  private var openedCount = 0

  /// Whether there is anything to do at the end of a turn.
  var isInUse: Bool { count + openedCount > 0 }

  /// Whether a connection that has just come is opened now; notes that it is.
  mutating func opensAtOnce() -> Bool {
    guard count == 0, openedCount < Self.openedAtOnce else { return false }
    openedCount += 1
    return true
  }

  /// Adds a connection that waits.
  mutating func add(_ descriptor: CInt, of user: UInt32) {
    count += 1
    if let index = queues.firstIndex(where: { $0.user == user }) {
      queues[index].descriptors.append(descriptor)
    } else {
      queues.append((user, [descriptor]))
    }
  }

  /// How many connections of a user wait.
  func count(of user: UInt32) -> Int { queues.first { $0.user == user }?.descriptors.count ?? 0 }

  /// Takes the next connection: the first one of the user whose turn it is.
  mutating func next() -> CInt? {
    guard !queues.isEmpty else { return nil }
    var (user, descriptors) = queues.removeFirst()
    let descriptor = descriptors.removeFirst()
    if !descriptors.isEmpty { queues.append((user, descriptors)) }
    count -= 1
    return descriptor
  }

  /// Begins another turn.
  mutating func beginTurn() { openedCount = 0 }
}

extension HubShell {
  func connectionArrived(_ error: UVError?) {
    if let error {
      return log.write(
        .warning, cause: Log.Cause("connections not accepted"), "\(error); clients wait until it can",
        Log.Details(.acceptFailed, ["REASON": "\(error)"]))
    }
    guard let descriptor = socket?.takeDescriptor() else { return }
    // The peer may have gone already, and its credentials are those of when it connected.
    guard let user = peerUser(of: descriptor) else {
      close(descriptor)
      return
    }
    if let refusal = informed.refusal(ofConnectionOf: user, waiting: (admission.count(of: user), admission.count)) {
      turnAway(descriptor, of: user, refusal)
    } else if admission.opensAtOnce() {
      open(descriptor)
    } else {
      admission.add(descriptor, of: user)
    }
  }

  /// Tells a client why it is not served, and closes: without a stream and a slot in the core, which others need.
  private func turnAway(_ descriptor: CInt, of user: UInt32, _ error: PeerError) {
    var writer = FrameWriter()
    writer.frame(error)
    // A socket that was just accepted has room.
    _ = writer.bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
    }
    close(descriptor)
    log.write(
      .warning, cause: Log.Cause("connections closed by the hub", user: user),
      "a connection of user \(user) was not served: \(error.reason)",
      Log.Details(.connectionClosed, ["UID": "\(user)", "REASON": error.reason, "CODE": "\(error.code.rawValue)"]))
  }

  private func open(_ descriptor: CInt) {
    do throws(UVError) {
      let stream: PipeStream
      do throws(UVError) {
        stream = try PipeStream.adopting(descriptor, on: loop)
      } catch {
        close(descriptor)
        throw error
      }
      try open(stream)
    } catch {
      log.write(.warning, cause: Log.Cause("connections not accepted"), "\(error)")
    }
  }

  /// Opens connections that wait, one of each user in turn: some, or all.
  func openWaiting(all: Bool = false) {
    admission.beginTurn()
    guard admission.count > 0 else { return }
    let start = loop.nanoseconds
    var count = 0
    while all || count == 0 || loop.nanoseconds - start < Admission.openingTime, let descriptor = admission.next() {
      open(descriptor)
      count += 1
    }
  }
}
