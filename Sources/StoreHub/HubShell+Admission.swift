internal import EventLoop
internal import Glibc
internal import HubCore
internal import ServiceProcess
internal import Wire

extension HubShell {
  func connectionArrived(_ error: UVError?) {
    if let error {
      return log.write(
        .warning, cause: Log.Cause("connections not accepted"), "\(error); clients wait until it can",
        Log.Details(.acceptFailed, ["REASON": "\(error)"]))
    }
    guard let descriptor = socket?.takeDescriptor() else { return }
    // The kernel keeps the credentials from the time of connecting, but the peer may have disconnected.
    guard let user = peerUser(of: descriptor) else {
      close(descriptor)
      return
    }
    guard !hasDisconnected(descriptor) else {
      let now = loop.turnMilliseconds
      if admission.noteDisconnected(at: now) { scheduler.noteHeavy(at: now) }
      return
    }
    let waiting = (admission.count(of: user), admission.count)
    if let refusal = inform({ $0.refusal(ofConnectionOf: user, waiting: waiting) }) {
      turnAway(descriptor, of: user, refusal)
    } else if !scheduler.isContended, admission.opensAtOnce() {
      open(descriptor)
    } else {
      admission.add(descriptor, of: user)
      scheduler.noteQueue(admission.count, at: loop.turnMilliseconds)
    }
  }

  /// Closes an accepted connection and returns true if its peer has already disconnected. Opening it would cost several
  /// times as much.
  private func hasDisconnected(_ descriptor: CInt) -> Bool {
    var byte: UInt8 = 0
    guard recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0 else { return false }
    close(descriptor)
    core.noteUnserved()
    return true
  }

  /// Sends a client the reason for the refusal and closes the connection. It uses no stream and no slot in the core,
  /// which other connections need.
  private func turnAway(_ descriptor: CInt, of user: UInt32, _ error: PeerError) {
    var writer = FrameWriter()
    writer.frame(error)
    // The buffer of a newly accepted socket has room.
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

  /// Opens queued connections, one of each user in turn, until the time is used or, with `all`, until none are left.
  func openWaiting(all: Bool = false) {
    admission.beginTurn()
    guard admission.count > 0 else { return }
    let start = loop.nanoseconds
    var count = 0
    while all || count == 0 || loop.nanoseconds - start < Admission.openingTime, let descriptor = admission.next() {
      if !hasDisconnected(descriptor) { open(descriptor) }
      count += 1
    }
  }

  /// Opens one queued connection.
  func openNext() {
    admission.beginTurn()
    guard let descriptor = admission.next(), !hasDisconnected(descriptor) else { return }
    open(descriptor)
  }
}
