/// Makes a struct or an enum replicable: generates its encoding, its deltas and its schema at compile time.
///
/// ```swift
/// @Replicated
/// struct State: Equatable {
///   var count = 0
///   @ReplicatedKey(5) var note: String?
///   @Replicated(omit) var cache: [Int] = []
/// }
/// ```
///
/// All stored fields are replicated, and all cases with their payloads. As with the raw values of an enum, a field's
/// key is one more than that of the previous field, starting at 0; `@ReplicatedKey` sets another one. When reordering
/// or removing fields, give the remaining ones their previous keys. Keys are never reused.
///
/// The types of all fields must be `Replicated`. A field that is not replicated is marked `@Replicated(omit)` and has a
/// default. Generic parameters in the types of fields must also be `Replicated`. On an `@ObservableState`, a delta
/// notifies only the observers of the fields that it changes.
///
/// A public struct that other modules create, such as tests, needs a `public init` of its own: Swift's memberwise
/// initializer is not public, and the only public one would be `init(from:)`, which decodes. The compiler then reports
/// extra arguments in a call of that one.
///
/// Together with `@Reducer` on an enum, it makes the enum's state and actions replicable. Swift 6.3 requires the types
/// in its cases to be declared before it in the same file, or in another file; otherwise the compiler may crash.
@attached(
  extension, conformances: Replicated, WireValue,
  names: named(encode(to:)), named(init), named(hasParts), named(differs(from:)),
  named(encodeDelta(from:to:)), named(apply(delta:)), named(part(at:)), named(key(of:)), named(schema(in:)))
public macro Replicated() = #externalMacro(module: "StoreHubMacros", type: "ReplicatedMacro")

/// The treatment of a field of a `@Replicated` struct: `@Replicated(omit) var cache: [Int] = []`.
@attached(peer)
public macro Replicated(_ treatment: ReplicatedTreatment) =
  #externalMacro(module: "StoreHubMacros", type: "ReplicatedFieldMacro")

/// The names that a field or a case of a `@Replicated` type had in earlier versions, all of them.
///
/// ```swift
/// @Replicated(was: "quantity", "amount") var count = 0
/// ```
///
/// A stored state, a client, or a hub of an earlier version is then mapped to the present name. A former name belongs to
/// one field or case of a type, and is none of the present names. Without the mark, a renamed field is a new one, and the
/// value of the old one is dropped.
@attached(peer)
public macro Replicated(was name: String, _ earlier: String...) =
  #externalMacro(module: "StoreHubMacros", type: "ReplicatedFieldMacro")

/// The key of a field or a case of a `@Replicated` type, regardless of its position.
@attached(peer)
public macro ReplicatedKey(_ key: Int) = #externalMacro(module: "StoreHubMacros", type: "ReplicatedFieldMacro")

/// The treatment of a field of a `@Replicated` struct.
public struct ReplicatedTreatment: Sendable {
  /// The field is not encoded; a decoded value has the field's default.
  ///
  /// Keys of a dictionary, members of a set and ids that differ only in such a field would have the same bytes. A hub
  /// refuses an action after which there would be two of them.
  public static let omit = ReplicatedTreatment()
}

/// Marks a field that is not replicated: `@Replicated(omit)`.
public let omit = ReplicatedTreatment.omit
