import { ByteReader, ByteWriter } from './byte-codec.ts';
import { HeadroomError } from './errors.ts';

/** The most buckets that are kept. */
export const maxBuckets = 320;
/**
 * The finest resolution. From scale 5 up a quantile is within 1.1 %, and 320 buckets of scale 5
 * span a factor of 1000 between the smallest and the largest value.
 */
export const maxScale = 7;
// Here 320 buckets hold every finite number: their binary logarithms run from −1074 to 1024.
const minScale = -3;
const formatVersion = 1;

/** The buckets as an OTLP ExponentialHistogramDataPoint has them; no negative values exist here. */
export interface SketchBuckets {
  /** Bucket i holds the values in (base^i, base^(i+1)], base = 2^(2^−scale). */
  scale: number;
  /** Index of the first of `counts`. */
  offset: number;
  counts: number[];
  zeroCount: number;
}

/**
 * The mergeable distribution behind every percentile: a base-2 exponential histogram, the same as
 * OpenTelemetry's (data model, "ExponentialHistogram"), with exact weight, sum, minimum and maximum.
 * When the values need more than 320 buckets, two neighbours each become one.
 */
export class Sketch {
  #scale = maxScale;
  // A ring: bucket i is at i modulo its length, so that the range can grow at both ends.
  #counts = new Float64Array(maxBuckets);
  #low = 0;
  #high = -1;
  #zeroCount = 0;
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  /** Total weight of what was added. */
  get count(): number {
    return this.#count;
  }

  /** Sum of value × weight. */
  get sum(): number {
    return this.#sum;
  }

  /** Null when empty. */
  get min(): number | null {
    return this.#count === 0 ? null : this.#min;
  }

  /** Null when empty. */
  get max(): number | null {
    return this.#count === 0 ? null : this.#max;
  }

  /** Adds a finite value ≥ 0 with an integer weight ≥ 1; RangeError for anything else. */
  add(value: number, weight = 1): void {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`value must be finite and not negative, not ${value}`);
    }
    if (!(Number.isSafeInteger(weight) && weight >= 1)) {
      throw new RangeError(`weight must be an integer of 1 or more, not ${weight}`);
    }
    this.#addTotals(weight, value * weight, value, value);
    if (value === 0) this.#zeroCount += weight;
    else this.#addToBucket(bucketIndex(value, this.#scale), weight);
  }

  /** Adds all that is in another sketch; that one stays as it is. */
  merge(other: Sketch): void {
    if (other.#count === 0) return;
    this.#addTotals(other.#count, other.#sum, other.#min, other.#max);
    this.#zeroCount += other.#zeroCount;
    if (other.#high < other.#low) return;
    this.#downscale(Math.max(0, this.#scale - other.#scale));
    const finer = other.#scale - this.#scale;
    const shift = finer + this.#makeRoom(other.#low >> finer, other.#high >> finer);
    for (let index = other.#low; index <= other.#high; index++) {
      const position = ringPosition(index >> shift);
      const count = other.#counts[ringPosition(index)] ?? 0;
      this.#counts[position] = (this.#counts[position] ?? 0) + count;
    }
  }

  /**
   * The value at rank ⌈q × count⌉ (nearest rank by weight), q from 0 to 1: exact at both ends, in
   * between the middle of its bucket. Null when empty.
   */
  quantile(q: number): number | null {
    if (!(q >= 0 && q <= 1)) throw new RangeError(`quantile must be from 0 to 1, not ${q}`);
    if (this.#count === 0) return null;
    const rank = Math.ceil(q * this.#count);
    if (rank === 0) return this.#min;
    if (rank === this.#count) return this.#max;
    let seen = this.#zeroCount;
    if (rank <= seen) return 0;
    for (let index = this.#low; index <= this.#high; index++) {
      seen += this.#counts[ringPosition(index)] ?? 0;
      if (rank <= seen) return this.#middle(index);
    }
    return this.#max;
  }

  buckets(): SketchBuckets {
    const counts: number[] = [];
    for (let index = this.#low; index <= this.#high; index++) {
      counts.push(this.#counts[ringPosition(index)] ?? 0);
    }
    return { scale: this.#scale, offset: this.#low, counts, zeroCount: this.#zeroCount };
  }

  /** As bytes, in the format of docs/schema.md. */
  encode(): Uint8Array {
    const writer = new ByteWriter();
    writer.byte(formatVersion);
    if (this.#count === 0) return writer.toBytes();
    writer.signedVarint(this.#scale);
    const totals = [this.#sum, this.#min, this.#max];
    writer.byte(
      totals.reduce((flags, n, bit) => flags + (Number.isSafeInteger(n) ? 0 : 2 ** bit), 0),
    );
    for (const total of totals) {
      if (Number.isSafeInteger(total)) writer.varint(total);
      else writer.float64(total);
    }
    writer.varint(this.#zeroCount);
    let next = 0;
    for (let index = this.#low; index <= this.#high; index++) {
      const count = this.#counts[ringPosition(index)] ?? 0;
      if (count === 0) continue;
      // The first index is signed; of each further one the distance is kept.
      if (index === this.#low) writer.signedVarint(index);
      else writer.varint(index - next);
      writer.varint(count);
      next = index + 1;
    }
    return writer.toBytes();
  }

  /** Reads what {@link Sketch.encode} wrote; FILE_CORRUPT for any other bytes. */
  static decode(bytes: Uint8Array): Sketch {
    const sketch = new Sketch();
    if (!sketch.#read(new ByteReader(bytes))) {
      throw new HeadroomError('FILE_CORRUPT', 'a stored distribution (sketch) cannot be read');
    }
    return sketch;
  }

  #read(reader: ByteReader): boolean {
    if (reader.byte() !== formatVersion) return false;
    if (reader.atEnd) return true;
    const scale = reader.signedVarint();
    const flags = reader.byte();
    if (scale === null || scale < minScale || scale > maxScale) return false;
    if (flags === null || flags > 7) return false;
    const [sum, min, max] = [1, 2, 4].map((bit) =>
      (flags & bit) === 0 ? reader.varint() : reader.float64(),
    );
    const zeroCount = reader.varint();
    if (sum == null || min == null || max == null || zeroCount === null) return false;
    if (!(sum >= 0 && min >= 0 && min <= max && max < Number.POSITIVE_INFINITY)) return false;
    this.#scale = scale;
    this.#zeroCount = zeroCount;
    this.#addTotals(zeroCount, sum, min, max);
    while (!reader.atEnd) {
      const step = this.#high < this.#low ? reader.signedVarint() : reader.varint();
      const count = reader.varint();
      if (step === null || count === null || count === 0) return false;
      const index = this.#high < this.#low ? step : this.#high + 1 + step;
      if (Math.abs(index) > 2 ** 20) return false;
      this.#addToBucket(index, count);
      if (this.#scale !== scale) return false;
      this.#count += count;
    }
    return this.#count > 0 && Number.isSafeInteger(this.#count);
  }

  #addTotals(count: number, sum: number, min: number, max: number): void {
    this.#count += count;
    this.#sum += sum;
    // Adding 0 turns −0 into 0.
    this.#min = Math.min(this.#min, min) + 0;
    this.#max = Math.max(this.#max, max) + 0;
  }

  #addToBucket(index: number, count: number): void {
    const shift = this.#makeRoom(index, index);
    const position = ringPosition(index >> shift);
    this.#counts[position] = (this.#counts[position] ?? 0) + count;
  }

  /** Extends the buckets to these; says by how many steps all had to be made coarser for that. */
  #makeRoom(first: number, last: number): number {
    const empty = this.#high < this.#low;
    let low = empty ? first : Math.min(this.#low, first);
    let high = empty ? last : Math.max(this.#high, last);
    let steps = 0;
    while (high - low >= maxBuckets) {
      low >>= 1;
      high >>= 1;
      steps++;
    }
    this.#downscale(steps);
    this.#low = low;
    this.#high = high;
    return steps;
  }

  #downscale(steps: number): void {
    if (steps === 0) return;
    const counts = new Float64Array(maxBuckets);
    for (let index = this.#low; index <= this.#high; index++) {
      const position = ringPosition(index >> steps);
      counts[position] = (counts[position] ?? 0) + (this.#counts[ringPosition(index)] ?? 0);
    }
    this.#counts = counts;
    this.#scale -= steps;
    if (this.#high < this.#low) return;
    this.#low >>= steps;
    this.#high >>= steps;
  }

  // The geometric middle: equally far, as a factor, from both ends of the bucket.
  #middle(index: number): number {
    const middle = 2 ** ((index + 0.5) / 2 ** this.#scale);
    return Math.min(this.#max, Math.max(this.#min, middle));
  }
}

function bucketIndex(value: number, scale: number): number {
  return Math.ceil(Math.log2(value) * 2 ** scale) - 1;
}

function ringPosition(index: number): number {
  const rest = index % maxBuckets;
  return rest < 0 ? rest + maxBuckets : rest;
}
