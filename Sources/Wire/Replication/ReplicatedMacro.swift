/// Makes a struct or an enum travel: its bytes, its deltas and its schema are written at compile time.
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
/// Every stored field travels, and every case with its payload. A field's key is one more than that of the field before
/// it, as with the raw values of an enum, from 0; `@ReplicatedKey` says another one. To change the order, or to take
/// something away, give the fields that stay the keys that they had: keys are never used again.
///
/// The types of all fields must be `Replicated`. A field that stays at home is marked `@Replicated(omit)` and has a
/// default. The generic parameters that fields have in their types are required to be `Replicated` as well. On an
/// `@ObservableState`, a delta tells the observers of the fields that it changes, and no others.
///
/// Together with `@Reducer` on an enum, the state and the actions of the enum travel. Swift 6.3 needs the types that stand in
/// its cases to be declared before it in the same file, or in another file; otherwise the compiler may crash.
@attached(
  extension, conformances: Replicated, WireValue,
  names: named(encode(to:)), named(init), named(hasParts), named(differs(from:)),
  named(encodeDelta(from:to:)), named(apply(delta:)), named(part(at:)), named(key(of:)), named(schema(in:)))
public macro Replicated() = #externalMacro(module: "StoreHubMacros", type: "ReplicatedMacro")

/// What becomes of a field of a `@Replicated` struct: `@Replicated(omit) var cache: [Int] = []`.
@attached(peer)
public macro Replicated(_ treatment: ReplicatedTreatment) =
  #externalMacro(module: "StoreHubMacros", type: "ReplicatedFieldMacro")

/// The key of a field or a case of a `@Replicated` type, which it keeps wherever it stands.
@attached(peer)
public macro ReplicatedKey(_ key: Int) = #externalMacro(module: "StoreHubMacros", type: "ReplicatedFieldMacro")

/// What becomes of a field of a `@Replicated` struct.
public struct ReplicatedTreatment: Sendable {
  /// The field stays at home: it is in no bytes, and a value that was read has the field's default.
  public static let omit = ReplicatedTreatment()
}

/// Marks a field that does not travel: `@Replicated(omit)`.
public let omit = ReplicatedTreatment.omit
