#!/usr/bin/env node
import v8 from 'node:v8';

// The recorder lives in VMs of 1 GiB: without the optimising compiler it needs 8 MiB less, and its
// work is system calls; without growing its nursery, some MiB less again while processes come and
// go. What follows it in the same VM is to be as small: the server beside it (--while-live), an
// exporter (--follow), the watcher of pages. This must come before anything else is compiled.
const isFollowing = process.argv[2] === 'export' && process.argv.includes('--follow');
const isSmall = ['record', 'pages'].includes(process.argv[2] ?? '') || isFollowing;
if (isSmall || process.argv.includes('--while-live')) {
  v8.setFlagsFromString('--lite-mode');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

const [name, ...args] = process.argv.slice(2);
if (name === 'record') {
  const { runRecorder } = await import('./recorder.ts');
  process.exitCode = await runRecorder(args);
} else {
  const { runCli } = await import('./run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2));
}
