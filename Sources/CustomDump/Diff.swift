/// Describes how two values differ, line by line, leaving out what they share.
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
/// Equal fields are shortened to `…`, and neighbours that are equal to a count, such as `… (4 unchanged)`. Elements
/// of arrays are matched by their `id` if they have one, else by what they are.
///
/// - Parameters:
///   - lhs: The first value, whose lines have ``DiffFormat/first`` in front.
///   - rhs: The second value, whose lines have ``DiffFormat/second`` in front.
///   - format: The marks.
/// - Returns: The difference; nil if the values are equal.
public func diff<T>(_ lhs: T, _ rhs: T, format: DiffFormat = .default) -> String? {
  guard !areEqual(lhs, rhs) else { return nil }
  var differ = Differ(format: format)
  differ.compare(Child(value: lhs), Child(value: rhs), at: Place(indent: 0, comma: "", isRoot: true))
  return differ.text
}
