#!/usr/bin/env node
// CommonJS, as is the recorder: the loader of ES modules takes 0.7 MiB, and an ES module that imports
// one of Node.js's own loads all that one could ever export (fs: its promises, its streams).
const argv = process.argv.slice(2);
const isRecorder = argv[0] === 'record';

// What lives beside a recorder in the same VM is to be as small as it: the server (--while-live), an
// exporter (--follow), the watcher of pages.
const isFollowing = argv[0] === 'export' && argv.includes('--follow');
const isSmall = isRecorder || argv[0] === 'pages' || isFollowing || argv.includes('--while-live');
if (isSmall) keepHeapSmall();
// What thousands of sessions leave behind is dead at once, and a nursery of 32 MiB would be filled with it.
else if (argv[0] === 'fleet') keepNurserySmall();

if (isRecorder) {
  const { runRecorder }: Recorder = require('./recorder.cjs');
  void runRecorder(argv.slice(1)).then(exitWith);
} else {
  void import('./run-cli.ts').then(({ runCli }) => runCli(argv)).then(exitWith);
}

interface Recorder {
  runRecorder(args: readonly string[]): Promise<number>;
}

function exitWith(code: number): void {
  process.exitCode = code;
}

/**
 * For what lives in a VM of 1 GiB: without the optimising compiler V8 needs 8 MiB less, and the work
 * is system calls; without growing its nursery, some MiB less again while processes come and go; and half a
 * MiB when it drops what was compiled for the start at the second collection of garbage, not the sixth.
 * Before anything else is compiled: V8 crashes when the mode changes under code that it has begun to watch.
 */
function keepHeapSmall(): void {
  const v8: typeof import('node:v8') = require('node:v8');
  v8.setFlagsFromString('--lite-mode');
  v8.setFlagsFromString('--bytecode-old-age=1');
  keepNurserySmall();
}

function keepNurserySmall(): void {
  const v8: typeof import('node:v8') = require('node:v8');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}
