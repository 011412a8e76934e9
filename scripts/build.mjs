// npm pack and npm publish: dist/ from src/, when it is not up to date.
import { buildDist } from './setup/build-dist.mjs';
import { projectRoot, runScript } from './setup/set-up.mjs';

await runScript(async () => {
  console.error(`build: ${await buildDist(projectRoot)}`);
  return 0;
});
