export interface ScriptedPage {
  name: string;
  /** Of the session, as `--memory-limit` takes it. */
  limit: string;
  /** Its other sites are `origin(3)` and on. */
  html(origin: (number: number) => string): string;
  /** The browser runs from a copy of its program, which then is charged to the limit. */
  copiesProgram?: boolean;
}

const scripted = (script: string) => () =>
  `<!doctype html><script>const kept = [];${script}</script>`;
const take = (mib: number) => `kept.push(new Uint8Array(${mib} << 20).fill(1));`;

/** Pages that need much, or move much, and need no more than there is. */
export const benignPages: readonly ScriptedPage[] = [
  { name: 'a light page', limit: '1GiB', html: () => '<!doctype html><p>a page' },
  { name: '150 MiB at once, kept', limit: '1GiB', html: scripted(take(150)) },
  {
    name: '20 MiB a second, dropped after five',
    limit: '1GiB',
    html: scripted(
      `setInterval(() => { ${take(4)} if (kept.length > 25) kept.splice(0, 20); }, 200);`,
    ),
  },
  {
    name: 'frames of eight sites',
    limit: '1GiB',
    html: (origin) =>
      Array.from({ length: 8 }, (_, at) => `<iframe src="${origin(at + 3)}/"></iframe>`).join(''),
  },
  {
    name: 'a frame that moves to another site twice a second',
    limit: '1GiB',
    html: (origin) => `<!doctype html><iframe></iframe><script>
      const sites = ${JSON.stringify(Array.from({ length: 6 }, (_, at) => `${origin(at + 3)}/`))};
      let at = 0;
      setInterval(() => { document.querySelector('iframe').src = sites[at++ % 6]; }, 500);</script>`,
  },
];

/** Pages whose browser is killed, or stands still. */
export const deadlyPages: readonly ScriptedPage[] = [
  {
    name: '120 MiB a second in 400 MiB',
    limit: '400MiB',
    html: scripted(`setInterval(() => { ${take(12)} }, 100);`),
  },
  {
    name: '20 MiB a second in 1 GiB',
    limit: '1GiB',
    html: scripted(`setInterval(() => { ${take(4)} }, 200);`),
  },
  {
    name: '20 MiB a second in 512 MiB, its program in it',
    limit: '512MiB',
    html: scripted(`setInterval(() => { ${take(4)} }, 200);`),
    copiesProgram: true,
  },
];
