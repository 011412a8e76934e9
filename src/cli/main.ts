import { keepHeapSmall } from './small-heap.ts';

// All commands; `record` comes by headroom.cts, which does not load this.
const argv = process.argv.slice(2);
// What lives beside a recorder in the same VM is to be as small as it: the server (--while-live), an
// exporter (--follow), the watcher of pages.
const isFollowing = argv[0] === 'export' && argv.includes('--follow');
if (isFollowing || argv[0] === 'pages' || argv.includes('--while-live')) keepHeapSmall();

const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(argv);
