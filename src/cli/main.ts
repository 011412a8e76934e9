#!/usr/bin/env node
import { keepHeapSmall } from './small-heap.ts';

const [name = '', ...args] = process.argv.slice(2);
// What lives beside a recorder in the same VM is to be as small as it: the server (--while-live), an
// exporter (--follow), the watcher of pages.
const isFollowing = name === 'export' && args.includes('--follow');
const isSmall = ['record', 'pages'].includes(name) || isFollowing;
if (isSmall || args.includes('--while-live')) keepHeapSmall();

if (name === 'record') {
  const { runRecorder } = await import('./recorder.ts');
  process.exitCode = await runRecorder(args);
} else {
  const { runCli } = await import('./run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2));
}
