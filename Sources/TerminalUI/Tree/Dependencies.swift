internal import ConcurrencyExtras
internal import FeatureCore
internal import Observation
internal import Synchronization

/// The values of stores and other observable objects that a part of a view has read.
final class Dependencies {
  /// Changed to end the observation of values that the part does not depend on any more.
  private let end = ObservedField()
  private let generation = Atomic(0)
  private var invalidate: () -> Void = {}

  /// The objects that were read would keep the observation: a tree that is dropped as a whole removes no node.
  deinit { end.changed() }

  /// Reads values. When one of them has changed, or is about to, calls `invalidate` once, and then draws the screen again.
  func read<Result>(for node: ViewNode, _ body: () -> Result, invalidate: @escaping () -> Void) -> Result {
    forget()
    self.invalidate = invalidate
    let current = generation.load(ordering: .relaxed)
    return withObservationTracking {
      end.access()
      return body()
    } onChange: { [weak self, weak node] in
      guard let self, generation.load(ordering: .relaxed) == current else { return }
      MainThread.run { [weak self, weak node] in
        guard let self, let node, generation.load(ordering: .relaxed) == current else { return }
        self.invalidate()
        node.tree?.noteChange()
        // Stores report changes after a turn, others before the change: the screen is drawn a little later.
        if !Reducing.afterwards(self, { [weak node] in node?.needsDrawing() }) {
          Task { @MainActor [weak node] in node?.needsDrawing() }
        }
      }
    }
  }

  /// Ends the observation.
  func forget() {
    generation.add(1, ordering: .relaxed)
    end.changed()
  }
}
