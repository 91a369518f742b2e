// The shortest of three sizes that keeps a float, and half precision, which JavaScript does not have.

const view = new DataView(new ArrayBuffer(8));

/** The bits of a float as 16 bits, or undefined if they do not hold it. */
export function halfBits(value: number): number | undefined {
  if (Number.isNaN(value)) return 0x7e00;
  if (Math.fround(value) !== value) return undefined;
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00;
  if (exponent === 0) return fraction === 0 ? sign : undefined;
  const power = exponent - 127;
  if (power > 15 || power < -24) return undefined;
  if (power >= -14) return (fraction & 0x1fff) === 0 ? sign | ((power + 15) << 10) | (fraction >>> 13) : undefined;
  // Subnormal: the leading one becomes a digit, and more digits are dropped.
  const dropped = -1 - power;
  const digits = fraction | 0x800000;
  return (digits & ((1 << dropped) - 1)) === 0 ? sign | (digits >>> dropped) : undefined;
}

/** The float with these 16 bits. */
export function halfValue(bits: number): number {
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  let size: number;
  if (exponent === 0) size = fraction * 2 ** -24;
  else if (exponent === 0x1f) size = fraction === 0 ? Infinity : NaN;
  else size = (fraction + 1024) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}
