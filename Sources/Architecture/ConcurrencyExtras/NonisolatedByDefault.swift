/// A type that belongs to no actor, also in modules whose default isolation is the main actor.
///
/// With `.defaultIsolation(MainActor.self)`, the compiler isolates each declaration of a module to the main actor, unless
/// a type conforms to a protocol that inherits `SendableMetatype`, as this one does: the type, the types inside it and
/// its extensions are then nonisolated. So are those of the protocols of features, such as `Reducer`, because reducers
/// run in hubs and tests on any actor.
///
/// This protocol is for types that have no such protocol. A user extends `DependencyValues`, `Effect` or `AlertState`
/// with values that reducers use; a macro lists it among its conformances to say the same of a user's type.
@_marker public protocol _NonisolatedByDefault: SendableMetatype {}
