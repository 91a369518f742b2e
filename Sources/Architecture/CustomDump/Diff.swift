/// Describes the differences of two values line by line, without the parts that they share.
///
/// ```swift
/// var other = user
/// other.favorites[1] = 91
/// print(diff(user, other) ?? "no difference")
/// ```
/// ```diff
///   User(
///     favorites: [
///       [0]: 42,
/// -     [1]: 1729
/// +     [1]: 91
///     ],
///     id: 2,
///     name: "Blob"
///   )
/// ```
///
/// Equal fields are shortened to `…`, and adjacent equal ones to a count, such as `… (4 unchanged)`. Elements of arrays
/// are matched by their `id` if they have one, otherwise by their value.
///
/// - Parameters:
///   - lhs: The first value, whose lines begin with ``DiffFormat/first``.
///   - rhs: The second value, whose lines begin with ``DiffFormat/second``.
///   - format: The marks.
/// - Returns: The difference; nil if the values are equal.
public func diff<T>(_ lhs: T, _ rhs: T, format: DiffFormat = .default) -> String? {
  guard !areEqual(lhs, rhs) else { return nil }
  var differ = Differ(format: format)
  differ.compare(Child(value: lhs), Child(value: rhs), at: Place(indent: 0, comma: "", isRoot: true))
  return differ.text
}
