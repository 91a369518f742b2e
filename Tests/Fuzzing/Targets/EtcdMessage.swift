import EtcdMessages

extension FuzzTarget {
  /// A message of etcd that can be read is written as bytes that give the same message. The first byte selects the type.
  static let etcdMessage = FuzzTarget(name: "etcd-message") { bytes in
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    switch first % 8 {
    case 0: try roundTrip(EtcdRangeResponse.self, body)
    case 1: try roundTrip(EtcdTransactionResponse.self, body)
    case 2: try roundTrip(EtcdWatchResponse.self, body)
    case 3: try roundTrip(EtcdWatchRequest.self, body)
    case 4: try roundTrip(EtcdMemberListResponse.self, body)
    case 5: try roundTrip(EtcdStatusResponse.self, body)
    case 6: try roundTrip(EtcdAlarmResponse.self, body)
    default: try roundTrip(EtcdTransaction.self, body)
    }
  } seeds: {
    var header = EtcdHeader()
    (header.cluster, header.member, header.revision, header.term) = (.max, 1 << 63, -1, 3)
    var value = EtcdKeyValue()
    (value.key, value.value, value.modRevision, value.version) = ([1, 2], [3], 300, 1)
    var range = EtcdRangeResponse()
    (range.header, range.values, range.count) = (header, [value, value], 2)
    var result = EtcdOperationResult()
    result.range = range
    var answer = EtcdTransactionResponse()
    (answer.header, answer.succeeded, answer.results) = (header, true, [result])
    var event = EtcdEvent()
    (event.kind, event.value) = (.delete, value)
    var watch = EtcdWatchResponse()
    (watch.id, watch.compactRevision, watch.cancelReason, watch.events) = (2, 9, "compacted", [event])
    var alarm = EtcdAlarm()
    (alarm.member, alarm.kind) = (7, .noSpace)
    var alarms = EtcdAlarmResponse()
    alarms.alarms = [alarm]
    var transaction = EtcdTransaction()
    transaction.conditions = [.exists([1], true), .value([2], [3]), .revision([4], 5)]
    transaction.success = [.put(EtcdPut([6], [7])), .delete(EtcdDelete(EtcdKeyRange("a"..<"b")))]
    transaction.failure = [.range(EtcdRange(EtcdKeyRange([8]), limit: 1, order: .descending, isSerializable: true))]
    let creation = EtcdWatchRequest(create: EtcdWatchCreation(putsTo: EtcdKeyRange("a"..<"b"), from: 77))
    return [
      [0] + range.bytes, [1] + answer.bytes, [2] + watch.bytes, [6] + alarms.bytes, [7] + transaction.bytes,
      [3] + creation.bytes, [1, 0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ]
  }

  private static func roundTrip<Message: ProtobufMessage>(_ type: Message.Type, _ bytes: [UInt8]) throws {
    guard let message = try? type.init(decoding: bytes) else { return }
    try promise(try type.init(decoding: message.bytes) == message, "\(type) is written otherwise")
  }
}
