/// Returns a number of things, such as `1 connection` or `2 connections`.
package nonisolated func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
