/// The steps that turn one sequence into another.
struct EditScript {
  enum Step {
    case keep(from: Int, to: Int)
    /// An adjacent removal and insertion.
    case replace(from: Int, to: Int)
    case remove(Int)
    case insert(Int)
  }

  private(set) var steps: [Step] = []

  init<Key: Hashable>(from old: [Key], to new: [Key]) {
    let matches = matches(old, new)
    // The exact script takes time proportional to the changes and memory proportional to their square, so it is used
    // for small changes. The other one is as short unless the sequences have repetitions.
    let changes = old.count + new.count - 2 * matches.count
    let kept = changes * (old.count + new.count) < 2_000_000 && changes < 1_000 ? exactMatches(old, new) : matches
    steps.reserveCapacity(old.count + new.count - kept.count)
    var (from, to) = (0, 0)
    for match in kept + [Match(from: old.count, to: new.count)] {
      while from < match.from, to < match.to {
        steps.append(.replace(from: from, to: to))
        (from, to) = (from + 1, to + 1)
      }
      while from < match.from {
        steps.append(.remove(from))
        from += 1
      }
      while to < match.to {
        steps.append(.insert(to))
        to += 1
      }
      if from < old.count, to < new.count { steps.append(.keep(from: from, to: to)) }
      (from, to) = (from + 1, to + 1)
    }
  }
}

private struct Match {
  var from: Int
  var to: Int
}

/// The pairs kept by the standard library's shortest script.
private func exactMatches<Key: Hashable>(_ old: [Key], _ new: [Key]) -> [Match] {
  var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
  for change in new.difference(from: old) {
    switch change {
    case .remove(let offset, _, _): removed.insert(offset)
    case .insert(let offset, _, _): inserted.insert(offset)
    }
  }
  return zip(old.indices.filter { !removed.contains($0) }, new.indices.filter { !inserted.contains($0) })
    .map { Match(from: $0, to: $1) }
}

/// Pairs the n-th occurrences of a key in both sequences, and keeps as many non-crossing pairs as possible.
private func matches<Key: Hashable>(_ old: [Key], _ new: [Key]) -> [Match] {
  var places: [Key: [Int]] = [:]
  for (index, key) in new.enumerated().reversed() { places[key, default: []].append(index) }
  let pairs = old.enumerated().compactMap { index, key in
    places[key]?.popLast().map { Match(from: index, to: $0) }
  }
  return longestAscending(pairs)
}

/// The longest subsequence of `pairs` that ascends in `to`, as it does in `from`.
private func longestAscending(_ pairs: [Match]) -> [Match] {
  // `tails[n]` is the pair with the smallest `to` that ends an ascending subsequence of n + 1 pairs.
  var tails: [Int] = []
  var previous = [Int?](repeating: nil, count: pairs.count)
  for index in pairs.indices {
    var (low, high) = (0, tails.count)
    while low < high {
      let middle = (low + high) / 2
      if pairs[tails[middle]].to < pairs[index].to { low = middle + 1 } else { high = middle }
    }
    previous[index] = low > 0 ? tails[low - 1] : nil
    if low == tails.count { tails.append(index) } else { tails[low] = index }
  }
  var result: [Match] = []
  var next = tails.last
  while let index = next {
    result.append(pairs[index])
    next = previous[index]
  }
  return result.reversed()
}
