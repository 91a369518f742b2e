/// The indices of a longest increasing subsequence of distinct numbers, by patience sorting.
///
/// - Complexity: O(n log n); O(n + k log n) if all but k of them increase.
@usableFromInline
func longestRisingSubsequence(of numbers: [Int]) -> [Int] {
  if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return Array(numbers.indices) }
  /// For each length, the index of the smallest number that ends an increasing subsequence of that length.
  var ends: [Int] = []
  var previous = [Int](repeating: -1, count: numbers.count)
  for (index, number) in numbers.enumerated() {
    // A number greater than all before it is appended without a search.
    var low = ends.last.map { numbers[$0] < number } == true ? ends.count : 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[index] = ends[low - 1] }
    if low == ends.count { ends.append(index) } else { ends[low] = index }
  }
  var subsequence: [Int] = []
  var index = ends.last ?? -1
  while index >= 0 {
    subsequence.append(index)
    index = previous[index]
  }
  return subsequence.reversed()
}
