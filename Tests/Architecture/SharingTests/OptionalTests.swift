import Dependencies
import Sharing
import Testing

extension SharedReaderKey where Self == AppStorageKey<Int?>.Default {
  fileprivate static var ceiling: Self { Self[.appStorage("ceiling"), default: 8] }
}

@Suite struct OptionalTests {
  @Test func anOptionalValueMayHaveTheDefaultOfItsKey() {
    @Shared(.ceiling) var ceiling
    @SharedReader(.ceiling) var reader
    #expect(ceiling == 8 && reader == 8)
    $ceiling.withLock { $0 = nil }
    #expect(ceiling == nil && reader == nil)
  }

  @Test func anOptionalValueBeginsWithItsDefault() {
    @Shared(.inMemory("optional number")) var number: Int? = 1
    #expect(number == 1)
    $number.withLock { $0 = nil }
    #expect(number == nil)
    @Shared(.inMemory("optional without a default")) var other: Int?
    #expect(other == nil)
  }

  @Test func anOptionalValueIsKept() {
    do {
      @Shared(.inMemory("kept")) var number: Int? = 1
      $number.withLock { $0 = 2 }
    }
    do {
      @Shared(.inMemory("kept")) var number: Int? = 1
      #expect(number == 2)
      $number.withLock { $0 = nil }
    }
    @Shared(.inMemory("kept")) var number: Int? = 1
    #expect(number == nil)
  }

  @Test func aShareIsReadOnly() {
    @Shared(value: 1) var count
    let reader: SharedReader<Int> = $count.reader
    $count.withLock { $0 = 2 }
    #expect(reader.wrappedValue == 2)
  }
}
