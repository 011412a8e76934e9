import { type LightHead, parseLightHead } from './light-head.ts';

/** What a light sampler saw at one moment, or what of it changed since the frame before. */
export interface LightFrame {
  /** Counts the frames of one sampler, from 1. */
  sequence: number;
  /** It stands for itself: what it does not name is not there. */
  isKey: boolean;
  /** Nothing follows it: the sampler was told to end. */
  isLast: boolean;
  /** Null where the sampler cannot tell the time by itself. */
  clocks: { wallMs: number; monotonicMs: number } | null;
  /** How long the reading took, ms; null where the sampler cannot tell. */
  readMs: number | null;
  lines: readonly string[];
}

/** A frame, with the sampler that wrote it. */
export interface FramePart {
  head: LightHead;
  pid: number;
  frame: LightFrame;
}

interface OpenFrame extends Omit<LightFrame, 'readMs' | 'lines'> {
  lines: string[];
  length: number;
}

const segmentLine = /^H (\d{1,10}) (.*)$/s;
const beginLine = /^F (\d{1,15}) ([KD])(!?) (?:(\d{1,15}) (\d{1,15})|- -)$/;
const endLine = /^E (\d{1,15}) (\d{1,15}) (\d{1,9}|-)$/;

/**
 * Takes the bytes of a light sampler's files apart, in their order, one character a byte:
 *
 *     H PID {…}                 a file begins: which sampler, and what it was told
 *     F N K|D[!] WALL MONO      frame N begins, in ms or `- -`: a key frame, or what changed; `!`: the last
 *     …                         its lines, see {@link LightFiles}
 *     E N LENGTH MS             it ends: length of its lines in bytes, how long it took or `-`
 *
 * No line of a frame begins with one of these letters, whatever the names of processes. A frame that
 * was cut, or is not as long as it says, counts as lost, and with it all up to the next key frame: half
 * a frame would be a wrong figure, and a missing one is a gap.
 */
export class FrameReader {
  /** Frames that were begun and not whole, or came after one that was missing. */
  lostCount = 0;
  /** Null before the first segment, and in one whose beginning cannot be read. */
  #segment: { head: LightHead; pid: number } | null = null;
  #open: OpenFrame | null = null;
  /** The frame before, when the next may build upon it. */
  #lastSequence: number | null = null;
  #rest = '';

  /** The frames that are complete with these bytes. */
  *read(bytes: Uint8Array): Generator<FramePart> {
    const lines = (this.#rest + Buffer.from(bytes).toString('latin1')).split('\n');
    // What has no end yet may go on in the next bytes, or was cut.
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const part = this.#take(line);
      if (part !== null) yield part;
    }
  }

  #take(line: string): FramePart | null {
    switch (line.slice(0, 2)) {
      case 'H ':
        this.#beginSegment(line);
        return null;
      case 'F ':
        this.#begin(line);
        return null;
      case 'E ':
        return this.#end(line);
      default:
        if (this.#open !== null) {
          this.#open.lines.push(line);
          this.#open.length += line.length + 1;
        }
        return null;
    }
  }

  #beginSegment(line: string): void {
    this.#drop();
    const [, pid, json] = segmentLine.exec(line) ?? [];
    const head = json === undefined ? null : parseLightHead(asUtf8(json));
    this.#segment = head === null ? null : { head, pid: Number(pid) };
  }

  #begin(line: string): void {
    if (this.#open !== null) this.#drop();
    const [, sequence, kind, last, wallMs, monotonicMs] = beginLine.exec(line) ?? [];
    if (sequence === undefined) {
      this.#drop();
      return;
    }
    this.#open = {
      sequence: Number(sequence),
      isKey: kind === 'K',
      isLast: last === '!',
      clocks:
        wallMs === undefined ? null : { wallMs: Number(wallMs), monotonicMs: Number(monotonicMs) },
      lines: [],
      length: 0,
    };
  }

  #end(line: string): FramePart | null {
    const open = this.#open;
    const [, sequence, length, ms] = endLine.exec(line) ?? [];
    const isWhole = Number(sequence) === open?.sequence && Number(length) === open.length;
    if (open === null || this.#segment === null || !isWhole || !this.#follows(open)) {
      this.#drop();
      return null;
    }
    this.#open = null;
    this.#lastSequence = open.sequence;
    const { length: _, ...frame } = open;
    return {
      ...this.#segment,
      frame: { ...frame, readMs: ms === undefined || ms === '-' ? null : Number(ms) },
    };
  }

  #follows({ isKey, sequence }: OpenFrame): boolean {
    return isKey || (this.#lastSequence !== null && sequence === this.#lastSequence + 1);
  }

  #drop(): void {
    if (this.#open !== null) this.lostCount++;
    this.#open = null;
    this.#lastSequence = null;
  }
}

function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
