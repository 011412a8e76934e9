/**
 * One Protocol Buffers message as bytes (protobuf.dev/programming-guides/encoding), for the few kinds
 * of fields that a trace needs. Field numbers are below 2^28.
 */
export class ProtoMessage {
  #bytes = new Uint8Array(64);
  #length = 0;

  /** uint64, int64, uint32, bool or enum; a negative one in ten bytes, as int64 has it. */
  integer(field: number, value: number | bigint): this {
    this.#varint(field * 8);
    if (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)) {
      this.#varint(value);
    } else {
      this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    }
    return this;
  }

  double(field: number, value: number): this {
    this.#varint(field * 8 + 1);
    this.#ensure(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  text(field: number, value: string): this {
    return this.#delimited(field, utf8.encode(value));
  }

  message(field: number, value: ProtoMessage): this {
    return this.#delimited(field, value.bytes);
  }

  /** A view of what there is so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #delimited(field: number, bytes: Uint8Array): this {
    this.#varint(field * 8 + 2);
    this.#varint(bytes.length);
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  // Seven bits in a byte, lowest first; no shift, as values pass 2^31.
  #varint(value: number): void {
    this.#ensure(10);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #bigVarint(value: bigint): void {
    this.#ensure(10);
    let rest = value;
    while (rest >= 128n) {
      this.#bytes[this.#length++] = Number(rest % 128n) + 128;
      rest /= 128n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #ensure(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}

const utf8 = new TextEncoder();
