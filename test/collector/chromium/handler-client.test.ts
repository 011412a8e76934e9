import fs from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import { HandlerClients } from '../../../src/collector/chromium/handler-client.ts';
import { ProcFs } from '../../../src/collector/procfs/proc-fs.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

// As `ls -l /proc/PID/fd` had it of Chromium 156 on Linux 6.18: a browser, its handler and the
// handler's own handler. The other browser started in the same second.
const links: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  3370: { 1: 'pipe:[1]', 6: 'socket:[6866677]', 7: 'socket:[6868000]' },
  3371: { 2: '/tmp/e2', 4: 'socket:[6869160]', 6: 'socket:[6869093]', 7: 'socket:[6869161]' },
  3460: { 3: 'socket:[6869144]', 4: 'anon_inode:[eventpoll]', 7: 'socket:[6869094]' },
  3463: { 2: '/tmp/e2', 4: 'socket:[6869145]' },
};
const commandLine = (descriptor: number) =>
  `/usr/lib/chromium/chrome_crashpad_handler\0--database=/c r\0--initial-client-fd=${descriptor}\0`;

const root = folder.file('proc');
for (const [pid, sockets] of Object.entries(links)) {
  fs.mkdirSync(`${root}/${pid}/fd`, { recursive: true });
  for (const [descriptor, target] of Object.entries(sockets)) {
    fs.symlinkSync(target, `${root}/${pid}/fd/${descriptor}`);
  }
}
fs.writeFileSync(`${root}/3460/cmdline`, commandLine(7));
fs.writeFileSync(`${root}/3463/cmdline`, commandLine(4));

const process = (pid: number) => ({ pid, startTicks: 1 });
const find = (pid: number, ...candidates: number[]) => {
  const clients = new HandlerClients<{ pid: number; startTicks: number }>(new ProcFs(root));
  const { client, unread } = clients.find(process(pid), candidates.map(process));
  return { client: client?.pid ?? null, unread: unread.map((candidate) => candidate.pid) };
};

test('a handler is of who holds the other end of its socket', () => {
  expect(find(3460, 3370, 3371)).toEqual({ client: 3371, unread: [] });
  expect(find(3463, 3370, 3371, 3460)).toEqual({ client: 3460, unread: [] });
});

test('of nobody, if none of them does', () => {
  expect(find(3460, 3370)).toEqual({ client: null, unread: [] });
});

test('whose sockets cannot be read is told apart', () => {
  expect(find(3460, 3370, 99)).toEqual({ client: null, unread: [99] });
  expect(find(98, 3370, 3371)).toEqual({ client: null, unread: [3370, 3371] });
});

test('once it is known nobody is looked at again', () => {
  const proc = new ProcFs(root);
  const listed = vi.spyOn(proc, 'entries');
  const clients = new HandlerClients<{ pid: number; startTicks: number }>(proc);
  const [handler, ...browsers] = [3460, 3370, 3371].map(process);
  for (let look = 0; look < 10; look++) {
    expect(handler && clients.find(handler, browsers)).toEqual({ client: browsers[1], unread: [] });
  }
  expect(listed.mock.calls).toEqual([['3370/fd'], ['3371/fd']]);
});

test('it is not looked for without end', () => {
  const clients = new HandlerClients<{ pid: number; startTicks: number }>(new ProcFs(root));
  const handler = process(3460);
  for (let look = 0; look < 10; look++) clients.find(handler, [process(3370)]);
  expect(clients.find(handler, [process(3371)])).toEqual({ client: null, unread: [] });
});
