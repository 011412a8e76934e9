import type { FakeProc, FakeProcess } from './fake-proc.ts';

const program = '/usr/lib/chromium/chromium';

/** Command lines as Chromium 156 has them: children's are one string joined by blanks. */
export const commandLines = {
  browser: `${program}\0--headless\0--no-sandbox\0--user-data-dir=/tmp/p\0about:blank\0`,
  zygote: `${program} --type=zygote --no-sandbox --headless --user-data-dir=/tmp/p\0`,
  gpu: `${program} --type=gpu-process --no-sandbox --user-data-dir=/tmp/p\0`,
  renderer: `${program} --type=renderer --no-sandbox --user-data-dir=/tmp/p --lang=en-US\0`,
  extension: `${program} --type=renderer --extension-process --user-data-dir=/tmp/p\0`,
  network: `/proc/self/exe\0--type=utility\0--utility-sub-type=network.mojom.NetworkService\0--lang=en-US\0`,
  storage: `${program} --type=utility --utility-sub-type=storage.mojom.StorageService --lang=en-US\0`,
  audio: `${program} --type=utility --utility-sub-type=audio.mojom.AudioService --lang=en-US\0`,
  crashpad: '/usr/lib/chromium/chrome_crashpad_handler\0--monitor-self\0--database=/tmp/c\0',
} as const;

export type ChromiumKind = keyof typeof commandLines;

/** Starts a process of Chromium. */
export function startChromium(
  proc: FakeProc,
  kind: ChromiumKind,
  parts: Partial<FakeProcess> & { pid: number },
): FakeProcess {
  const { pid, ...fields } = parts;
  const isCrashpad = kind === 'crashpad';
  return proc.start(pid, {
    comm: isCrashpad ? 'chrome_crashpad' : 'chromium',
    exe: isCrashpad ? '/usr/lib/chromium/chrome_crashpad_handler' : program,
    cmdline: commandLines[kind],
    ...fields,
  });
}
