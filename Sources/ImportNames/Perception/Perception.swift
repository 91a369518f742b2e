// The names of swift-perception, which brings observation to platforms without it. Here they are those of Observation.
@_exported public import Observation

/// The name of `Observable`.
public typealias Perceptible = Observable

/// The name of `ObservationRegistrar`.
public typealias PerceptionRegistrar = ObservationRegistrar

/// Runs `apply`, and calls `onChange` once before a value that it read changes.
public func withPerceptionTracking<T>(
  _ apply: () -> T, onChange: @autoclosure () -> @Sendable () -> Void
) -> T {
  withObservationTracking(apply, onChange: onChange())
}
