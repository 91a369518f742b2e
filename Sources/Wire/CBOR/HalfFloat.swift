/// IEEE 754 half-precision floats as bits, since `Float16` is not available on every architecture.
enum HalfFloat {
  /// The bits of the half-precision float that has exactly this value; nil if there is none.
  static func bits(exactly value: Double) -> UInt16? {
    guard let single = value.exactSingleBits else { return nil }
    let sign = UInt16(truncatingIfNeeded: single >> 16) & 0x8000
    let exponent = Int(single >> 23 & 0xff) - 127
    let fraction = single & 0x7f_ffff
    switch exponent {
    case 128:  // infinity and NaN
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | 0x7c00 | UInt16(truncatingIfNeeded: fraction >> 13)
    case -14...15:  // normal
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | UInt16(exponent + 15) << 10 | UInt16(truncatingIfNeeded: fraction >> 13)
    case -24 ... -15:  // subnormal: the hidden bit becomes a bit of the fraction
      let shift = 13 - 14 - exponent
      let significand = fraction | 0x80_0000
      guard significand & ((1 << shift) - 1) == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: significand >> shift)
    default:
      return value == 0 ? sign : nil
    }
  }

  /// The value of a half-precision float, including a NaN's payload.
  static func value(bits: UInt16) -> Double {
    let sign = UInt64(bits & 0x8000) << 48
    let exponent = Int(bits >> 10 & 0x1f)
    let fraction = UInt64(bits & 0x3ff)
    switch exponent {
    case 31:
      return Double(bitPattern: sign | 0x7ff0_0000_0000_0000 | fraction << 42)
    case 0:
      let magnitude = Double(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    default:
      return Double(bitPattern: sign | UInt64(exponent - 15 + 1023) << 52 | fraction << 42)
    }
  }
}
