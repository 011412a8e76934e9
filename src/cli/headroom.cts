#!/usr/bin/env node
// CommonJS, as is the recorder: the loader of ES modules takes 0.7 MiB, and an ES module that imports
// one of Node.js's own loads all that one could ever export (fs: its promises, its streams).
const [name = '', ...args] = process.argv.slice(2);

if (name === 'record') {
  const { runRecorder }: Recorder = require('./recorder.cjs');
  void runRecorder(args).then((code) => {
    process.exitCode = code;
  });
} else {
  void import('./main.ts');
}

interface Recorder {
  runRecorder(args: readonly string[]): Promise<number>;
}
