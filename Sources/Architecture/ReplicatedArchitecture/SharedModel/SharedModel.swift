public import FeatureCore
public import Wire

/// Conditions that a shared model always satisfies.
///
/// ```swift
/// extension Planner: SharedInvariants {
///   func check() throws(Refusal) {
///     guard seats.count <= capacity else { throw Refusal("all seats are taken") }
///   }
/// }
/// ```
///
/// A change after which the model does not satisfy them is refused with their reason.
public protocol SharedInvariants: Replicated {
  /// Refuses a model that breaks a condition.
  ///
  /// - Throws: The condition, for people.
  /// - Complexity: It runs after each change of the model: what it costs is added to each action.
  func check() throws(Refusal)
}

/// The reducer of a value that several clients edit at the same time.
///
/// It merges their changes in the order in which they arrive; docs/SHARED-MODEL.md has the rules for each type. A change
/// is refused, with the reason, and changes nothing, if its bytes do not fit the model, if it would give an element
/// another id, if a counter would leave its range, or if the model does not satisfy its ``SharedInvariants`` then.
///
/// ```swift
/// Scope(state: \.planner, action: \.planner) { SharedModel() }   // case planner(SharedChange<Planner>)
/// ```
///
/// - Complexity: For each change that of ``SharedChange/apply(to:)`` and of the invariants.
public struct SharedModel<Model: Replicated>: Reducer {
  private let check: (Model) -> Refusal?

  /// Creates the reducer of a model; if it has ``SharedInvariants``, these are checked after each change.
  public init() {
    if let checked = Model.self as? any SharedInvariants.Type {
      check = Self.checking(checked)
    } else {
      check = { _ in nil }
    }
  }

  private static func checking<Checked: SharedInvariants>(_: Checked.Type) -> (Model) -> Refusal? {
    { model in
      // The two are the same type, which the compiler cannot know.
      guard let model = model as? Checked else { return nil }
      do throws(Refusal) {
        try model.check()
        return nil
      } catch {
        return error
      }
    }
  }

  /// Merges the change, or refuses it.
  public var body: some Reducer<Model, SharedChange<Model>> {
    Reduce { (model: inout Model, change: SharedChange<Model>) throws(Refusal) in
      do throws(WireError) { try change.apply(to: &model) } catch {
        throw Refusal("the change of '\(change.fieldName)' cannot be merged: \(error)")
      }
      if let refusal = check(model) { throw refusal }
      return .none
    }
  }
}
