import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe-core finds on a page in both schemes: rules of WCAG 2.2 A and AA and good practice, each with
 * the elements that break it. What is only to be looked at by a person is not in it.
 */
export async function accessProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // Evaluated by the debugger: the page's policy lets no other script in.
    await page.evaluate(`${program}; null`);
    const problems = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
        [id, target.join(' '), failureSummary].join(': '))))`);
    found.push(...problems.map((problem) => `${colorScheme}: ${problem}`));
  }
  return found;
}
