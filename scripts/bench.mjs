// npm run bench: all set-up, then every benchmark; arguments select by a part of the name.
import { readdirSync } from 'node:fs';
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

await runScript(async () => {
  const wanted = process.argv.slice(2);
  const all = readdirSync('bench').filter((name) => name.endsWith('.ts'));
  const selected = all.filter(
    (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  if (selected.length === 0) {
    console.error(`no benchmark matches "${wanted.join(' ')}"; there are: ${all.join(', ')}`);
    return 2;
  }
  await setUp({ forTests: false });
  let failures = 0;
  for (const name of selected.sort()) {
    console.log(`\n── bench/${name}`);
    const code = await runInFront(process.execPath, ['--import', 'tsx', `bench/${name}`]);
    if (code !== 0) failures += 1;
  }
  return failures === 0 ? 0 : 1;
});
