const hexDigits = "0123456789abcdef";

/** Bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexDigits[byte >> 4]! + hexDigits[byte & 15]!;
  return text;
}

/** The bytes of hexadecimal digits, or undefined if the text is something else. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = parseInt(text.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes;
}

export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Bytes as a text with one character for each, whose order is that of the bytes. */
export function binaryText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** The pieces, one after another. */
export function concatenate(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
