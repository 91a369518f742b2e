public import Reducers
public import Wire

/// The innermost loop of the hub: decodes actions and reduces each in place.
public enum ActionBatch {
  /// How far a batch came.
  @frozen
  public struct Outcome {
    /// How many actions took effect.
    public let count: Int
    /// Where the batch stopped.
    public let end: End

    @inlinable init(count: Int, end: End) {
      (self.count, self.end) = (count, end)
    }
  }

  /// Where a batch stopped.
  @frozen
  public enum End {
    /// At the end of the sequence.
    case complete
    /// At the limit; the next action starts at this offset.
    case limit(offset: Int)
    /// At an item that is no action of the feature, which starts at this offset.
    case failure(WireError, offset: Int)
  }

  /// Applies the actions of a CBOR sequence from an offset on, up to its end, the limit, or the first item that is none.
  ///
  /// Inlined where the feature is known, so that nothing generic is looked up per action.
  @inlinable @inline(__always)
  static func apply<State, Action: WireValue>(
    _ sequence: RawSpan, from offset: Int, limit: Int, to reducing: inout ReducerCore<State, Action>
  ) -> Outcome {
    var decoder = CBORDecoder(sequence, at: offset)
    var count = 0
    while !decoder.isAtEnd {
      let start = decoder.offset
      guard count < limit else { return Outcome(count: count, end: .limit(offset: start)) }
      do throws(WireError) {
        reducing.send(try Action(from: &decoder))
      } catch {
        return Outcome(count: count, end: .failure(error, offset: start))
      }
      count += 1
    }
    return Outcome(count: count, end: .complete)
  }
}
