import ComposableTesting
import Testing

/// In a process of its own, because the trait applies to all tasks of a process.
@Suite(.mainSerialExecutor) struct MainSerialExecutorTests {
  @Test func tasksRunInTheOrderInWhichTheyWereStarted() async {
    #expect(uncheckedUseMainSerialExecutor)
    let order = LockIsolated<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 { group.addTask { order.withValue { $0.append(number) } } }
    }
    #expect(order.value == Array(0..<1_000))
  }
}
