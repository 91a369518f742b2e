import Senders
import Wire

/// A view that a feature declares, without the types of its state, values and parameter.
package struct ViewDeclaration {
  /// Computes the value for a state. The last one is nil at first.
  typealias Next = (_ state: StateVersion, _ last: StateVersion?, _ budget: inout WorkBudget) -> Step

  let name: String
  let kind: Kind
  let description: ViewDescription
  /// Returns true if what the view reads differs between two versions of the state.
  let inputDiffers: (_ old: StateVersion, _ new: StateVersion) -> Bool
  /// Begins a value, for a parameter and a user if the view has them.
  let begin: (_ parameter: [UInt8]?, _ user: SystemUser) throws(WireError) -> Next

  /// The result of a computation.
  enum Step {
    /// The budget did not suffice; the work is kept for the next call.
    case unfinished
    /// The value is the last one.
    case unchanged
    case changed(StateVersion)
  }

  /// By what the values of a view are distinguished.
  struct Kind: OptionSet {
    let rawValue: UInt8

    static let parametrised = Kind(rawValue: 1)
    static let perUser = Kind(rawValue: 2)
  }

  /// Distinguishes the values of a view.
  struct Key: Hashable {
    let view: Int
    let parameter: [UInt8]?
    let user: SystemUser?
  }
}

/// The views that a feature declares, without its types.
package struct DeclaredViews {
  let views: [ViewDeclaration]
  /// The schema of all, as the state with the root `StateRoot.views`.
  let schema: Schema

  init(_ views: [ViewDeclaration]) {
    let names = views.map(\.name)
    precondition(Set(names).count == names.count, "each view of a feature has a name of its own: \(names)")
    self.views = views
    schema = Schema(views: views.map(\.description))
  }

  /// The fingerprint of their schema; nil if there are none.
  var fingerprint: SchemaFingerprint? { views.isEmpty ? nil : schema.fingerprint }

  /// The comments of the types of their values.
  var documentation: SchemaDocumentation { SchemaDocumentation(views: views.map(\.description)) }
}
