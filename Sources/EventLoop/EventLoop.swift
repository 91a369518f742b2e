internal import CUV
internal import Dispatch
internal import Glibc

/// Gives memory that was freed back to the system, where malloc keeps it: malloc_trim(3).
/// It holds the lock of the heap, so that other threads wait for it.
/// - Complexity: O(size of the heap); for the time after a peak.
package nonisolated func releaseFreeMemory() { malloc_trim(0) }

/// A libuv loop on the main thread, which is also the thread of `MainActor`.
///
/// ```swift
/// let loop = try EventLoop()
/// try loop.drainMainQueue()          // tasks on the main actor run under this loop
/// let timer = try Timer(on: loop) { print("tick") }
/// timer.start(after: .seconds(1), repeating: .seconds(1))
/// loop.run()                         // until stop()
/// ```
///
/// All callbacks run on the main actor. The first loop makes the process ignore SIGPIPE, so that writing to a
/// disconnected peer is an error and does not end the process.
@safe public final class EventLoop {
  // Safe: only `close` and the end of the object free memory, on the main actor like all uses.

  /// The duration of `run`.
  public enum RunMode {
    /// Until `stop()` is called or no remaining handle keeps the loop alive.
    case untilIdle
    /// Until an event has been handled, waiting for one if necessary.
    case once
    /// Handles the events that are ready, without waiting.
    case noWait
  }

  let pointer: UnsafeMutablePointer<uv_loop_t>
  /// The loop for another library that runs on libuv, which must close its handles before `close`.
  package var libraryLoop: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(pointer) }
  /// The thread on which it runs.
  let thread = LoopThread()
  /// The buffer of all streams.
  package let readBuffer: ReadBuffer
  /// The memory of the buffer, reached for each read without a retain.
  let readBytes: UnsafeMutableRawBufferPointer
  let lastReadCount: UnsafeMutablePointer<Int>
  /// True if something has happened for which the loop polls busily; see `busyPoll`. Not a property of this object, so
  /// that callbacks of handles store it without a reference.
  let activity: UnsafeMutablePointer<Bool>
  private var busyPoller: BusyPoll?
  /// True if each stream reads at most its `readLimit` at once; otherwise the whole buffer is used. Without the
  /// exclusivity check: a byte is loaded or stored at once.
  @exclusivity(unchecked) package var limitsReads = false
  private var mainQueue: Poll?
  private var isClosed = false

  /// Creates a loop.
  /// - Throws: An error if the process has no descriptors or memory left.
  public init() throws(UVError) {
    signal(SIGPIPE, SIG_IGN)
    readBuffer = ReadBuffer()
    unsafe (readBytes, lastReadCount) = unsafe (readBuffer.bytes, readBuffer.lastCount)
    unsafe activity = unsafe readBuffer.activity
    unsafe pointer = .allocate(capacity: 1)
    try unsafe check(uv_loop_init(pointer), "create an event loop")
  }

  /// The monotonic time at the beginning of this turn of the loop, in steps of a millisecond.
  public var now: Duration { unsafe .milliseconds(Int64(uv_now(pointer))) }

  /// The current monotonic time on the clock of `now`; reads the clock.
  package var preciseNow: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

  /// The current monotonic time in nanoseconds; reads the clock.
  package var nanoseconds: UInt64 { uv_hrtime() }

  /// The time since the beginning of this turn of the loop, in milliseconds. It may be one tick of the kernel too small,
  /// 1 to 10 ms, but reading it costs a fraction of reading `nanoseconds`.
  package var turnAge: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let milliseconds = UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    return unsafe milliseconds - min(uv_now(pointer), milliseconds)
  }

  /// `now` in milliseconds.
  package var turnMilliseconds: UInt64 { unsafe uv_now(pointer) }

  /// `now` in nanoseconds.
  package var turnNanoseconds: UInt64 { unsafe uv_now(pointer) * 1_000_000 }

  /// Runs callbacks.
  /// - Returns: True if remaining handles would keep the loop alive.
  @discardableResult
  public func run(_ mode: RunMode = .untilIdle) -> Bool {
    thread.run {
      switch mode {
      case .untilIdle: unsafe uv_run(pointer, UV_RUN_DEFAULT) != 0
      case .once: unsafe uv_run(pointer, UV_RUN_ONCE) != 0
      case .noWait: unsafe uv_run(pointer, UV_RUN_NOWAIT) != 0
      }
    }
  }

  /// The longest time that `busyPoll` can have.
  public nonisolated static let longestBusyPoll = Duration.milliseconds(10)

  /// The time for which the loop polls without sleeping after it has received or sent something; zero, the default, for
  /// never.
  ///
  /// On many machines a process that sleeps takes 10 to 40 µs to wake, which is most of the latency of an action. With a
  /// busy poll, the loop handles what arrives within this time without that delay, and keeps a core busy meanwhile.
  /// Afterwards it sleeps, and costs nothing while nothing happens. It pays off only if a core can be spared.
  ///
  /// Negative times count as zero, and longer ones than `longestBusyPoll` as that.
  public var busyPoll: Duration {
    get { busyPoller.map { .nanoseconds(Int64($0.time)) } ?? .zero }
    set {
      let time = UInt64(min(max(newValue, .zero), Self.longestBusyPoll).components.attoseconds / 1_000_000_000)
      guard time > 0 else { return busyPoller = nil }
      if let busyPoller { return busyPoller.time = time }
      do throws(UVError) { busyPoller = try BusyPoll(on: self, time: time) } catch {
        preconditionFailure("hooks of a loop need no resources: \(error)")
      }
    }
  }

  /// Makes `run` return at the end of this turn.
  public func stop() {
    unsafe uv_stop(pointer)
  }

  /// Runs the main dispatch queue, and thus all tasks of the main actor, as part of this loop.
  ///
  /// libdispatch announces work through an eventfd, which the loop polls, as Foundation's run loop does on Linux. It
  /// does not keep `run(.untilIdle)` from returning.
  public func drainMainQueue() throws(UVError) {
    let descriptor = _dispatch_get_main_queue_handle_4CF()
    let poll = try Poll(on: self, descriptor: descriptor) { _ in
      var count: UInt64 = 0
      _ = unsafe read(descriptor, &count, MemoryLayout.size(ofValue: count))
      _dispatch_main_queue_callback_4CF(nil)
    }
    try poll.start(.readable)
    poll.keepsLoopAlive(false)
    mainQueue = consume poll
    // Tasks enqueued before the eventfd existed must not wait for the next one.
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Lets the tasks of the main actor wait until `resumeMainQueue`. Callbacks of handles still run.
  package func pauseMainQueue() { mainQueue?.stop() }

  /// Runs the tasks of the main actor again, those that have waited first.
  package func resumeMainQueue() {
    do throws(UVError) { try mainQueue?.start(.readable) } catch {
      preconditionFailure("a poll that was started before can be started again: \(error)")
    }
  }

  /// Closes the remaining handles and frees the loop; a second call has no effect.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    mainQueue = nil
    busyPoller = nil
    unsafe uv_walk(
      pointer,
      { handle, _ in
        guard let handle = unsafe handle, unsafe uv_is_closing(handle) == 0 else { return }
        unsafe onLoop(UnsafeMutableRawPointer(handle)) { unsafe HandleBox.of($0).close() }
      }, nil)
    while unsafe uv_run(pointer, UV_RUN_NOWAIT) != 0 {}
    let code = unsafe uv_loop_close(pointer)
    precondition(code == 0, unsafe "a loop closes when its handles are closed: \(String(cString: uv_err_name(code)))")
    unsafe pointer.deallocate()
  }

  /// The number of handles and requests of the loop.
  package var handleCount: Int {
    var count = 0
    unsafe withUnsafeMutablePointer(to: &count) { count in
      unsafe uv_walk(
        pointer,
        { _, count in
          unsafe count?.assumingMemoryBound(to: Int.self).pointee += 1
        }, unsafe count)
    }
    return count
  }
}
