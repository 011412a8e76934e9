import { fileURLToPath } from 'node:url';
import { buildDist } from './build-dist.mjs';
import { provideChromium } from './chromium.mjs';
import { installDebianPackages, thisMachine } from './debian-packages.mjs';
import { installDependencies } from './install-dependencies.mjs';
import { describeNode22, provideNode22 } from './node-22.mjs';
import { SetUpError } from './set-up-error.mjs';
import { provideSqlite } from './sqlite.mjs';
import { describeSshd, provideSshd } from './sshd.mjs';
import { describeTestServers, provideTestServers } from './test-servers.mjs';

/** The folder of the project. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Everything between a fresh clone and a program that runs, one line a step on stderr. What is in
 * place already is left alone, so a second run takes less than a second.
 *
 * @param {{ forTests: boolean }} wants
 */
export async function setUp(wants) {
  await step('node', () => checkNode(process.versions.node));
  await step('packages', () => installDependencies(projectRoot));
  await step('build', () => buildDist(projectRoot));
  await step('sqlite', () => provideSqlite(projectRoot, wants));
  await step('chromium', () => provideChromium(projectRoot));
  if (!wants.forTests) return;
  await step('tools', provideTestTools);
  await step('node 22', async () => describeNode22(await provideNode22()));
  await step('sshd', async () => describeSshd(await provideSshd()));
  await step('servers', async () => describeTestServers(await provideTestServers()));
}

/**
 * Runs the main function of a script: its exit code is the script's, an error of the set-up is told
 * without a stack.
 *
 * @param {() => Promise<number>} main
 */
export async function runScript(main) {
  // Paths of the project are relative to its folder, wherever the script was called from.
  process.chdir(projectRoot);
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(`\nset-up: ${error.message}\n${error.remedy}`);
    process.exitCode = 1;
  }
}

/** @param {string} version */
export function checkNode(version) {
  if (Number(version.split('.')[0]) < 20) {
    throw new SetUpError(`Node.js ${version} is too old`, 'Install Node.js 20 or later.');
  }
  return version;
}

/** Programs that only the tests run, and the Debian packages they are in. */
const testTools = [
  { program: 'sqlite3', package: 'sqlite3' },
  { program: 'pgrep', package: 'procps' },
  { program: 'ssh', package: 'openssh-client' },
];

async function provideTestTools() {
  const missing = testTools.filter(({ program }) => thisMachine.findProgram(program) === null);
  if (missing.length === 0) return testTools.map(({ program }) => program).join(', ');
  const packages = missing.map((tool) => tool.package);
  const refusal = await installDebianPackages(packages);
  const names = packages.join(', ');
  return refusal === null ? `${names} installed` : `${names} missing: ${refusal}`;
}

/**
 * @param {string} name
 * @param {() => string | Promise<string>} work
 */
async function step(name, work) {
  const startMs = performance.now();
  const outcome = await work();
  const seconds = (performance.now() - startMs) / 1_000;
  const time = seconds < 1 ? '' : ` (${seconds.toFixed(1)} s)`;
  console.error(`set-up  ${name.padEnd(8)}  ${outcome}${time}`);
}
