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
const formatVersion = 2;

/** What a sketch knows exactly, and what its bytes leave out: a store has columns for it. */
export interface SketchTotals {
  /** Total weight. */
  count: number;
  /** Of value × weight. */
  sum: number;
  min: number;
  max: number;
}

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

  /**
   * The buckets as bytes, in the format of docs/schema.md, without what is in the totals. An empty
   * sketch has no totals and cannot be read again.
   */
  encode(): Uint8Array {
    const writer = new ByteWriter();
    writer.byte(formatVersion);
    writer.signedVarint(this.#scale);
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

  /** Reads what {@link Sketch.encode} wrote; FILE_CORRUPT for anything else. */
  static decode(bytes: Uint8Array, totals: SketchTotals): Sketch {
    const sketch = new Sketch();
    sketch.mergeEncoded(bytes, totals);
    return sketch;
  }

  /**
   * The same as merging the sketch that these bytes are, without making it. After FILE_CORRUPT this
   * one is of no use.
   */
  mergeEncoded(bytes: Uint8Array, totals: SketchTotals): void {
    if (!areTotals(totals) || !this.#mergeBuckets(new ByteReader(bytes), totals.count)) {
      throw new HeadroomError('FILE_CORRUPT', 'a stored distribution (sketch) cannot be read');
    }
    this.#addTotals(totals.count, totals.sum, totals.min, totals.max);
  }

  #mergeBuckets(reader: ByteReader, count: number): boolean {
    if (reader.byte() !== formatVersion) return false;
    const scale = reader.signedVarint();
    const zeroCount = reader.varint();
    if (scale === null || scale < minScale || scale > maxScale || zeroCount === null) return false;
    this.#downscale(Math.max(0, this.#scale - scale));
    this.#zeroCount += zeroCount;
    let left = count - zeroCount;
    for (let next: number | null = null; !reader.atEnd; ) {
      const step = next === null ? reader.signedVarint() : reader.varint();
      const weight = reader.varint();
      if (step === null || weight === null || weight === 0) return false;
      const index: number = (next ?? 0) + step;
      if (Math.abs(index) > 2 ** 20) return false;
      this.#addToBucket(index >> (scale - this.#scale), weight);
      next = index + 1;
      left -= weight;
    }
    return left === 0;
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

function areTotals({ count, sum, min, max }: SketchTotals): boolean {
  // Of a damaged file they may be anything.
  if (!Number.isSafeInteger(count) || ![sum, min, max].every(Number.isFinite)) return false;
  return count > 0 && sum >= 0 && min >= 0 && min <= max;
}

function bucketIndex(value: number, scale: number): number {
  return Math.ceil(Math.log2(value) * 2 ** scale) - 1;
}

function ringPosition(index: number): number {
  const rest = index % maxBuckets;
  return rest < 0 ? rest + maxBuckets : rest;
}
