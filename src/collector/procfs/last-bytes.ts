/** What a file said when it was read last: whether it says the same again is told without garbage. */
export class LastBytes {
  #bytes = nothing;

  /** Whether these are the bytes of the last call; remembers them. */
  isSame(bytes: Buffer): boolean {
    if (this.#bytes.equals(bytes)) return true;
    if (this.#bytes.length !== bytes.length) this.#bytes = Buffer.allocUnsafeSlow(bytes.length);
    this.#bytes.set(bytes);
    return false;
  }
}

const nothing = Buffer.alloc(0);
