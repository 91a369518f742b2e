public import FeatureCore
public import Synchronization
public import Wire

/// The innermost loop of the hub: decodes actions and reduces them in place.
public enum ActionBatch {
  /// Applies the actions of a CBOR sequence.
  ///
  /// - Parameters:
  ///   - sequence: The bytes; the actions begin at `offset`.
  ///   - offset: The start of the first action.
  ///   - limit: The maximum number of actions to apply.
  ///   - sender: The client that has sent them.
  package typealias Apply = (_ sequence: RawSpan, _ offset: Int, _ limit: Int, _ sender: SendingClient) -> Outcome

  /// The progress of a batch.
  @frozen
  public struct Outcome {
    /// The number of actions that took effect.
    public let count: Int
    /// The reason why the batch stopped.
    public let end: End

    @inlinable init(count: Int, end: End) {
      (self.count, self.end) = (count, end)
    }

    /// Returns the offset after the last action that took effect.
    func endOffset(in sequence: RawSpan) -> Int {
      switch end {
      case .complete: sequence.byteCount
      case .limit(let offset), .failure(let offset), .refused(let offset): offset
      }
    }
  }

  /// The reason why a batch stopped. Trivial, so that no frame pays for the end of its life.
  @frozen
  public enum End {
    /// The end of the sequence.
    case complete
    /// The limit; the next action starts at this offset.
    case limit(offset: Int)
    /// An item at this offset that is not an action of the feature; see `Engine.takeFailure()`.
    case failure(offset: Int)
    /// An action at this offset that the feature refused; see `Engine.takeRefusal()`.
    case refused(offset: Int)
  }

  /// Applies the actions of a CBOR sequence from an offset on, up to its end, the limit, or the first item that is not
  /// an action.
  ///
  /// Inlined where the feature is known, so that no action looks up generic types.
  ///
  /// - Parameters:
  ///   - sequence: The bytes; the actions begin at `offset`.
  ///   - offset: The start of the first action.
  ///   - limit: The maximum number of actions to apply.
  ///   - sender: The client that has sent them.
  ///   - reducing: The feature's state and reducer.
  ///   - failure: Receives the error of an item that is not an action.
  ///   - pace: Decides whether the turn has time for further actions; at least one action is applied.
  @inlinable @inline(__always)
  static func apply<State, Action: WireValue>(
    _ sequence: RawSpan, from offset: Int, limit: Int, of sender: SendingClient,
    to reducing: inout ReducerCore<State, Action>, failure: inout WireError?, pace: TurnPace
  ) -> Outcome {
    reducing.noteSender(sender)
    var decoder = CBORDecoder(sequence, at: offset)
    var count = 0
    var pause = min(limit, pace.countToFirst)
    let reduced = pace.reduced
    reduced.pointee.store(0, ordering: .relaxed)
    defer { pace.count += count }
    while !decoder.isAtEnd {
      let start = decoder.offset
      guard limit > 0 else { return Outcome(count: 0, end: .limit(offset: start)) }
      do throws(WireError) {
        let action = try Action(from: &decoder)
        let length = decoder.offset - start
        // Equal actions in a row, such as those of a held key, are decoded once: no item is the beginning of another
        // one, so the same bytes are the same action.
        repeat {
          let number = sender.firstNumber == 0 ? 0 : sender.firstNumber &+ UInt64(truncatingIfNeeded: count)
          let isRefused = reducing.send(action, number: number) {
            count += 1
            reduced.pointee.store(UInt64(truncatingIfNeeded: count), ordering: .releasing)
            return count != pause && decoder.skipRepetition(ofLength: length)
          }
          if isRefused { return Outcome(count: count, end: .refused(offset: decoder.offset - length)) }
          guard count == pause, !decoder.isAtEnd else { break }
          guard count < limit, pace.hasTime(after: count) else {
            return Outcome(count: count, end: .limit(offset: decoder.offset))
          }
          pause = min(limit, count + pace.countToNext(after: count))
        } while decoder.skipRepetition(ofLength: length)
      } catch {
        failure = error
        return Outcome(count: count, end: .failure(offset: start))
      }
    }
    return Outcome(count: count, end: .complete)
  }
}
