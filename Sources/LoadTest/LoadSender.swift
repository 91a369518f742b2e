internal import EventLoop
internal import Glibc
internal import Wire

/// One sender: keeps up to `depth` actions in flight until its share has been acknowledged.
final class LoadSender {
  private let depth: Int
  private let share: Int
  private let onAnswers: (LoadSender, _ count: Int, _ now: UInt64) -> Void
  private var conversation: HubConversation?
  private(set) var sent = 0
  private(set) var answered = 0
  /// When the actions on their way were sent, by number modulo `depth`.
  private var sendTimes: [UInt64]
  private let source: ActionSource
  /// The sender's actions are those whose numbers are `first`, `first + step` and so on.
  private let numbers: (first: Int, step: Int)

  var isDone: Bool { answered == share }

  init(
    on loop: EventLoop, path: String, depth: Int, share: Int, source: ActionSource, numbers: (first: Int, step: Int),
    onOpen: @escaping () -> Void, onAnswers: @escaping (LoadSender, Int, UInt64) -> Void,
    onEnd: @escaping (LoadError) -> Void
  ) throws(UVError) {
    (self.depth, self.share, self.onAnswers) = (depth, share, onAnswers)
    (self.source, self.numbers) = (source, numbers)
    sendTimes = Array(repeating: 0, count: depth)
    conversation = try HubConversation(
      on: loop, path: path, onOpen: onOpen,
      onFrame: { [weak self] header, payload throws(WireError) in
        guard header.kind == FrameKind.applied.rawValue else { return }
        self?.acknowledged(through: Int(clamping: try UInt64(decoding: payload)))
      },
      onEnd: onEnd)
  }

  /// Sends as many actions as the depth allows, in one frame.
  func send() {
    let count = min(depth - (sent - answered), share - sent)
    guard count > 0 else { return }
    let now = monotonicNanoseconds()
    for number in sent..<sent + count { sendTimes[number % depth] = now }
    let (first, acknowledged, source, numbers) = (sent, answered, source, numbers)
    sent += count
    conversation?.write { output in
      output.frame(FrameHeader(kind: .actions)) { encoder in
        encoder.unsigned(UInt64(first + 1))
        encoder.unsigned(UInt64(acknowledged))
        for index in first..<first + count { source.encode(numbers.first + index * numbers.step, to: &encoder) }
      }
    }
  }

  func leave() {
    conversation?.leave()
  }

  /// Tells the latencies of newly answered actions, runs of equal send times at once.
  func latencies(ofLast count: Int, until now: UInt64, _ body: (_ nanoseconds: UInt64, _ times: UInt64) -> Void) {
    var number = answered - count
    while number < answered {
      let time = sendTimes[number % depth]
      var run = 1
      while number + run < answered, sendTimes[(number + run) % depth] == time { run += 1 }
      body(now - time, UInt64(run))
      number += run
    }
  }

  private func acknowledged(through sequence: Int) {
    guard sequence > answered, sequence <= sent else { return }
    let count = sequence - answered
    answered = sequence
    onAnswers(self, count, monotonicNanoseconds())
    send()
  }
}

/// Nanoseconds of CLOCK_MONOTONIC (clock_gettime(2)).
nonisolated func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
