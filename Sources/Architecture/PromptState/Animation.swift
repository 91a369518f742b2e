/// An animation of a change, as data. Nothing here animates: the type lets code that was written for SwiftUI compile.
///
/// ```swift
/// await send(.factResponse(fact), animation: .default)
/// ```
public struct Animation: Hashable, Sendable, CustomStringConvertible {
  /// The animation as in source code.
  public let description: String

  private init(_ description: String) {
    self.description = description
  }

  private func adding(_ modifier: String) -> Self { Self(description + modifier) }

  /// The default animation.
  public static let `default` = Self("default")
  /// An animation of constant speed.
  public static let linear = Self("linear")
  /// An animation that starts slowly.
  public static let easeIn = Self("easeIn")
  /// An animation that ends slowly.
  public static let easeOut = Self("easeOut")
  /// An animation that starts and ends slowly.
  public static let easeInOut = Self("easeInOut")
  /// The animation of a spring.
  public static let spring = Self("spring")
  /// The animation of a spring that reacts to the user.
  public static let interactiveSpring = Self("interactiveSpring")
  /// The animation of a bouncing spring.
  public static let bouncy = Self("bouncy")
  /// The animation of a spring that does not bounce.
  public static let smooth = Self("smooth")
  /// The animation of a spring that bounces slightly.
  public static let snappy = Self("snappy")

  /// An animation of constant speed.
  public static func linear(duration: Double) -> Self { Self("linear(duration: \(duration))") }
  /// An animation that starts slowly.
  public static func easeIn(duration: Double) -> Self { Self("easeIn(duration: \(duration))") }
  /// An animation that ends slowly.
  public static func easeOut(duration: Double) -> Self { Self("easeOut(duration: \(duration))") }
  /// An animation that starts and ends slowly.
  public static func easeInOut(duration: Double) -> Self { Self("easeInOut(duration: \(duration))") }
  /// An animation with a cubic curve.
  public static func timingCurve(
    _ p1x: Double, _ p1y: Double, _ p2x: Double, _ p2y: Double, duration: Double = 0.35
  ) -> Self {
    Self("timingCurve(\(p1x), \(p1y), \(p2x), \(p2y), duration: \(duration))")
  }
  /// The animation of a spring.
  public static func spring(duration: Double = 0.5, bounce: Double = 0, blendDuration: Double = 0) -> Self {
    Self("spring(duration: \(duration), bounce: \(bounce), blendDuration: \(blendDuration))")
  }
  /// The animation of a spring.
  @_disfavoredOverload
  public static func spring(
    response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: Double = 0
  ) -> Self {
    Self("spring(response: \(response), dampingFraction: \(dampingFraction), blendDuration: \(blendDuration))")
  }
  /// The animation of a spring that reacts to the user.
  public static func interactiveSpring(
    response: Double = 0.15, dampingFraction: Double = 0.86, blendDuration: Double = 0.25
  ) -> Self {
    Self(
      "interactiveSpring(response: \(response), dampingFraction: \(dampingFraction), blendDuration: \(blendDuration))")
  }
  /// The animation of a spring that preserves its velocity.
  public static func interpolatingSpring(
    mass: Double = 1, stiffness: Double, damping: Double, initialVelocity: Double = 0
  ) -> Self {
    Self(
      "interpolatingSpring(mass: \(mass), stiffness: \(stiffness), damping: \(damping), "
        + "initialVelocity: \(initialVelocity))")
  }
  /// The animation of a bouncing spring.
  public static func bouncy(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    Self("bouncy(duration: \(duration), extraBounce: \(extraBounce))")
  }
  /// The animation of a spring that does not bounce.
  public static func smooth(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    Self("smooth(duration: \(duration), extraBounce: \(extraBounce))")
  }
  /// The animation of a spring that bounces slightly.
  public static func snappy(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    Self("snappy(duration: \(duration), extraBounce: \(extraBounce))")
  }

  /// This animation after a delay.
  public func delay(_ delay: Double) -> Self { adding(".delay(\(delay))") }
  /// This animation at another speed.
  public func speed(_ speed: Double) -> Self { adding(".speed(\(speed))") }
  /// This animation, repeated several times.
  public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Self {
    adding(".repeatCount(\(repeatCount), autoreverses: \(autoreverses))")
  }
  /// This animation, repeated forever.
  public func repeatForever(autoreverses: Bool = true) -> Self {
    adding(".repeatForever(autoreverses: \(autoreverses))")
  }
}

/// The context of a change of state, as data. Nothing here animates; see ``Animation``.
public struct Transaction: Sendable {
  /// The animation of the change.
  public var animation: Animation?
  /// True if animations are disabled.
  public var disablesAnimations = false
  /// True if the change is one of several in a gesture.
  public var isContinuous = false

  /// Creates a context.
  public init(animation: Animation? = nil) {
    self.animation = animation
  }
}

/// Runs an operation. Nothing is animated; see ``Animation``.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
  try body()
}

/// Runs an operation. Nothing is animated; see ``Animation``.
public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
  try body()
}
