#!/usr/bin/env node
import v8 from 'node:v8';

// The recorder lives in VMs of 1 GiB: without the optimising compiler it needs 8 MiB less, and its
// work is system calls; without growing its nursery, some MiB less again while processes come and
// go. The server beside it (--while-live) answers a few small questions from the same memory. This
// must come before anything else is compiled.
if (process.argv[2] === 'record' || process.argv.includes('--while-live')) {
  v8.setFlagsFromString('--lite-mode');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
