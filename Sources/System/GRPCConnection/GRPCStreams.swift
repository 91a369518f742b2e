internal import CNGHTTP2

/// The calls of a connection, which nghttp2's callbacks change.
final class GRPCStreams {
  let messageLimit: Int
  var calls: [Int32: CallState] = [:]
  var events: [GRPCEvent] = []
  /// The reason that nghttp2 gives for its last error.
  var complaint = ""
  /// True if the server accepts no more calls.
  var isGoingAway = false

  init(messageLimit: Int) { self.messageLimit = messageLimit }

  /// Makes a client's session, whose callbacks call this object. The caller deletes the session before the object.
  func session() -> OpaquePointer {
    var callbacks: OpaquePointer?
    var session: OpaquePointer?
    // These fail only without memory.
    precondition(nghttp2_session_callbacks_new(&callbacks) == 0, "no memory for a connection")
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, streams in
      guard let frame, let name, let value else { return 0 }
      GRPCStreams.of(streams).header(
        UnsafeRawBufferPointer(start: name, count: nameCount), UnsafeRawBufferPointer(start: value, count: count),
        on: frame.pointee.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, stream, bytes, count, streams in
      GRPCStreams.of(streams).receive(UnsafeRawBufferPointer(start: bytes, count: count), on: stream, session)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, streams in
      guard let header = frame?.pointee.hd else { return 0 }
      let streams = GRPCStreams.of(streams)
      switch UInt32(header.type) {
      case NGHTTP2_GOAWAY.rawValue: streams.isGoingAway = true
      case NGHTTP2_PING.rawValue where UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue != 0:
        streams.events.append(.pong)
      default: break
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, streams in
      GRPCStreams.of(streams).closed(stream, code)
      return 0
    }
    nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, count, streams in
      let text = UnsafeRawBufferPointer(start: text, count: count)
      GRPCStreams.of(streams).complaint = String(decoding: text, as: UTF8.self)
      return 0
    }
    precondition(
      nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque()) == 0,
      "no memory for a connection")
    nghttp2_session_callbacks_del(callbacks)
    guard let session else { preconditionFailure("a session was made") }
    return session
  }

  fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> GRPCStreams {
    guard let pointer else { preconditionFailure("each session has its calls") }
    return Unmanaged<GRPCStreams>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Where nghttp2 takes the bytes of a call from.
  static var outgoing: nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(fd: 0)) { _, stream, buffer, count, flags, _, streams in
      let streams = GRPCStreams.of(streams)
      let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: count)
      guard let (count, isLast) = streams.calls[stream]?.fill(buffer) else {
        return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
      }
      if isLast {
        flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      } else if count == 0 {
        streams.calls[stream]?.isDeferred = true
        return ssize_t(NGHTTP2_ERR_DEFERRED.rawValue)
      }
      return count
    }
  }

  // MARK: Callbacks

  private func header(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on stream: Int32) {
    // nghttp2 limits the headers to 64 KiB.
    if name.elementsEqual(":status".utf8) {
      calls[stream]?.http = Int(String(decoding: value, as: UTF8.self))
    } else if name.elementsEqual("grpc-status".utf8) {
      let code = Int(String(decoding: value, as: UTF8.self)) ?? GRPCStatus.Code.unknown.rawValue
      calls[stream]?.status = GRPCStatus.Code(rawValue: code)
    } else if name.elementsEqual("grpc-message".utf8) {
      calls[stream]?.statusMessage = String(percentEncoded: value)
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer, on stream: Int32, _ session: OpaquePointer?) {
    // The server may have sent more of a call that was cancelled, or that has failed.
    guard calls[stream] != nil, calls[stream]?.failure == nil else { return }
    do throws(GRPCFailure) {
      try calls[stream]?.receive(bytes, limit: messageLimit) {
        events.append(.message(GRPCCall(stream: stream), $0))
      }
    } catch {
      calls[stream]?.failure = error
      nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, NGHTTP2_CANCEL.rawValue)
    }
  }

  private func closed(_ stream: Int32, _ code: UInt32) {
    guard let call = calls.removeValue(forKey: stream) else { return }
    let outcome = call.outcome(code: code, refusedCode: NGHTTP2_REFUSED_STREAM.rawValue)
    events.append(.ended(GRPCCall(stream: stream), outcome))
  }
}

extension String {
  /// Decodes `grpc-message`: UTF-8 with `%XX` for other bytes. Wrong escapes stand for themselves.
  fileprivate init(percentEncoded bytes: UnsafeRawBufferPointer) {
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
      {
        decoded.append(UInt8(high * 16 + low))
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    self.init(decoding: decoded, as: UTF8.self)
  }
}
