// On Ctrl-C vitest ends without its worker, which would wait on for a machine: that ends with its worker.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
