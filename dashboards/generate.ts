// Writes dashboards/generated: npm run dashboards.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generated-files.ts';

const folder = fileURLToPath(new URL('generated', import.meta.url));
rmSync(folder, { recursive: true, force: true });
for (const [file, text] of generatedFiles()) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(path.relative(process.cwd(), target));
}
