import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from '../../../src/collector/light/frame-reader.ts';
import { parseLightHead } from '../../../src/collector/light/light-head.ts';
import { frameText, latin1, lightHead, segmentText } from '../../support/light-frames.ts';

function framesOf(text: string) {
  const reader = new FrameReader();
  const frames = [...reader.read(latin1(text))];
  return {
    frames: frames.map(({ frame }) => frame.sequence),
    lostCount: reader.lostCount,
    all: frames,
  };
}

const segment = segmentText();
const key = frameText('1 K 1000 2000', ['meminfo:MemTotal: 1 kB']);
const second = frameText('2 D 2000 3000', ['7 S 0 1 2 3 4']);
const third = frameText('3 D! - -', [], '-');

describe('frames', () => {
  test('with whose they are, when, and how long they took', () => {
    const { all, lostCount } = framesOf(segment + key + second + third);
    expect(all[0]).toEqual({
      head: lightHead,
      pid: 70,
      frame: {
        sequence: 1,
        isKey: true,
        isLast: false,
        clocks: { wallMs: 1_000, monotonicMs: 2_000 },
        readMs: 4,
        lines: ['meminfo:MemTotal: 1 kB'],
      },
    });
    expect(all[2]?.frame).toMatchObject({ isLast: true, clocks: null, readMs: null, lines: [] });
    expect(lostCount).toBe(0);
  });

  test.each([
    ['one that is missing, until the next key frame', segment + key + third, [1], 1],
    ['what came before the first key frame', segment + second + third, [], 2],
    ['one without its end', segment + key + second.replace(/E .*\n/, '') + third, [1], 2],
    ['one that lacks a line', segment + key + second.replace('7 S', ''), [1], 1],
    ['one with a line too many', segment + key + second.replace('7 S', '8 S 1\n7 S'), [1], 1],
    ['a segment without its beginning', key + second, [], 2],
    ['a segment whose beginning is damaged', segment.replace('"format"', '"f') + key, [], 1],
    ['nothing of what begins anew', segment + key + segment + key + second, [1, 1, 2], 0],
    ['a key frame that is lost, and what builds on it', segment + second + key, [1], 1],
  ])('are left out: %s', (_, text, sequences, lost) => {
    const { frames, lostCount } = framesOf(text);
    expect({ frames, lostCount }).toEqual({ frames: sequences, lostCount: lost });
  });

  test('come the same in whatever pieces the bytes do', () => {
    const bytes = latin1(segment + key + second + third);
    const whole = framesOf(segment + key + second + third).all;
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const reader = new FrameReader();
        const pieces = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
        expect(pieces.flatMap((piece) => [...reader.read(piece)])).toEqual(whole);
      }),
    );
  });

  test('of any bytes at all, nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(400), (noise, at) => {
        const text = latin1(segment + key + second);
        const bytes = Buffer.concat([text.subarray(0, at), noise, text.subarray(at)]);
        expect(() => [...new FrameReader().read(bytes)]).not.toThrow();
      }),
    );
  });
});

test.each(['', '{', '7', 'null', '{"format":2}', JSON.stringify({ ...lightHead, machine: {} })])(
  'no head: %j',
  (json) => expect(parseLightHead(json)).toBeNull(),
);
