import EtcdMessages
import Testing

@Suite struct MessageTests {
  /// The bytes are those that `protoc --encode` makes of the same message.
  @Test func aTransactionIsWrittenAsProtocolBuffers() {
    var transaction = EtcdTransaction()
    transaction.conditions = [.exists(Array("a".utf8), false), .revision(Array("b".utf8), 300)]
    transaction.success = [.put(EtcdPut(Array("a".utf8), Array("xyz".utf8)))]
    transaction.failure = [.range(EtcdRange(EtcdKeyRange(Array("a".utf8)), limit: 1, order: .descending))]
    let expected: [UInt8] = [
      0x0a, 5, 0x10, 1, 0x1a, 1, 0x61,
      0x0a, 8, 0x10, 2, 0x1a, 1, 0x62, 0x30, 0xac, 0x02,
      0x12, 10, 0x12, 8, 0x0a, 1, 0x61, 0x12, 3, 0x78, 0x79, 0x7a,
      0x1a, 9, 0x0a, 7, 0x0a, 1, 0x61, 0x18, 1, 0x28, 2,
    ]
    #expect(transaction.bytes == expected)
  }

  @Test func aMessageIsReadAsItWasWritten() throws {
    var value = EtcdKeyValue()
    (value.key, value.value) = ([0, 1, 255], [UInt8](repeating: 7, count: 1000))
    (value.createRevision, value.modRevision, value.version, value.lease) = (1, .max - 1, 127, -5)
    var response = EtcdRangeResponse()
    response.header = EtcdHeader()
    response.header?.cluster = .max
    (response.values, response.hasMore, response.count) = ([value, EtcdKeyValue(), value], true, 128)
    #expect(try EtcdRangeResponse(decoding: response.bytes) == response)
  }

  @Test func fieldsOfLaterVersionsAreSkipped() throws {
    // 100: a number; 101: eight bytes; 102: bytes; 103: four bytes; then the number of keys.
    let bytes: [UInt8] = [
      0xa0, 0x06, 5, 0xa9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xb2, 0x06, 2, 0xff, 0xff, 0xbd, 0x06, 1, 2, 3, 4, 0x20, 9,
    ]
    #expect(try EtcdRangeResponse(decoding: bytes).count == 9)
  }

  @Test(
    arguments: [
      ([0x20], .truncated), ([0x20, 0x80], .truncated), ([0x12, 5, 0], .truncated), ([0x12, 2, 0x0a, 1], .truncated),
      ([0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], .varint), ([0x00, 1], .fieldNumber),
      ([0x22, 1, 0], .wireType), ([0x10, 1], .wireType), ([0x0b], .group), ([0x0f], .wireType),
      ([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], .truncated),
      ([0xa9, 0x06, 1], .truncated),
    ] as [([UInt8], ProtobufError.Reason)])
  func damagedBytesAreRefused(bytes: [UInt8], reason: ProtobufError.Reason) {
    let error = #expect(throws: ProtobufError.self) { try EtcdRangeResponse(decoding: bytes) }
    #expect(error?.reason == reason)
  }

  /// A watch asks for what follows the last revision that it was told of, which ended the process.
  @Test(arguments: [-1, .min, .max] as [Int64]) func revisionsThatNoStoreHasAreRefused(revision: Int64) {
    var (header, value, watch) = (EtcdHeader(), EtcdKeyValue(), EtcdWatchResponse())
    (header.revision, value.modRevision, watch.compactRevision) = (revision, revision, revision)
    var event = EtcdEvent()
    event.value = value
    var (range, events) = (EtcdRangeResponse(), EtcdWatchResponse())
    (range.header, events.events) = (header, [event])
    #expect(throws: ProtobufError.self) { try EtcdRangeResponse(decoding: range.bytes) }
    for response in [watch, events] {
      let error = #expect(throws: ProtobufError.self) { try EtcdWatchResponse(decoding: response.bytes) }
      #expect(error?.reason == .revision)
    }
  }

  /// Two bytes would otherwise become a key with a value, of a hundred.
  @Test func theNumberOfElementsIsLimited() throws {
    let bytes = [UInt8](Array(repeating: [0x12, 0], count: 11).joined())
    #expect(try EtcdRangeResponse(decoding: bytes, elementLimit: 11).values.count == 11)
    let error = #expect(throws: ProtobufError.self) { try EtcdRangeResponse(decoding: bytes, elementLimit: 10) }
    #expect(error?.reason == .tooMany)
  }
}
