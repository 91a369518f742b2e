/// A screen that draws itself and handles all keys itself, in a terminal of its own.
package struct WholeScreen: PrimitiveView {
  package typealias Body = Never
  let content: (inout any Canvas) -> Duration?
  let pressed: (Key) -> Void

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - draw: Draws the screen; returns the time at which it changes by itself, if any.
  ///   - pressed: Handles a key.
  package init(draw: @escaping (inout any Canvas) -> Duration?, pressed: @escaping (Key) -> Void) {
    (content, self.pressed) = (draw, pressed)
  }

  package func makeNode() -> WholeScreenNode { WholeScreenNode() }
  package func update(_ node: WholeScreenNode) { (node.content, node.onKey) = (content, pressed) }
}

package final class WholeScreenNode: ViewNode {
  var content: (inout any Canvas) -> Duration? = { _ in nil }
  var onKey: (Key) -> Void = { _ in }

  override var isFocusable: Bool { true }
  override func widthNeed() -> Need { Need(grows: true) }
  override func heightNeed(width: Int) -> Need { Need(grows: true) }

  override func draw(on region: inout Region) {
    var canvas: any Canvas = region
    if let time = content(&canvas) { tree?.needsDrawing(at: time) }
  }

  override func pressed(_ key: Key) -> Bool {
    onKey(key)
    return true
  }
}
