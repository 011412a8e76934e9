// A server with the API of S3 and one bucket, `bucket`, in the folder that is given; says its port, and
// ends with its stdin.
import { createRequire } from 'node:module';

const S3rver = createRequire(import.meta.url)(process.env['HEADROOM_S3RVER'] ?? '');
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: process.argv[2],
  configureBuckets: [{ name: 'bucket' }],
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
