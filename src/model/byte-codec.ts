/**
 * Collects numbers as bytes. Whole numbers take as many bytes as they need: seven bits in each,
 * lowest first, the eighth bit set on all but the last (the varint of Protocol Buffers).
 */
export class ByteWriter {
  readonly #bytes: number[] = [];

  byte(value: number): void {
    this.#bytes.push(value);
  }

  /** A whole number from 0 to 2^53 − 1. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#bytes.push(rest);
  }

  /** A whole number of either sign: 0, −1, 1, −2 … as 0, 1, 2, 3 … */
  signedVarint(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** IEEE 754 binary64, little-endian. */
  float64(value: number): void {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    for (let at = 0; at < 8; at++) this.#bytes.push(view.getUint8(at));
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads what {@link ByteWriter} wrote; null where the bytes end or a number is above 2^53 − 1. */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  byte(): number | null {
    return this.atEnd ? null : this.#view.getUint8(this.#at++);
  }

  varint(): number | null {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      if (byte === null) return null;
      value += (byte % 128) * factor;
      if (value > Number.MAX_SAFE_INTEGER) return null;
      if (byte < 128) return value;
      // Zeros without end add nothing to the value, so the length is bounded as well.
      if (factor > Number.MAX_SAFE_INTEGER) return null;
    }
  }

  signedVarint(): number | null {
    const value = this.varint();
    if (value === null) return null;
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float64(): number | null {
    if (this.#at + 8 > this.#view.byteLength) return null;
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }
}
