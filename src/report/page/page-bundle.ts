import { readFileSync } from 'node:fs';

/** The page as `npm run build` made it: the same program for the server and for a file. */
export interface PageBundle {
  script: string;
  style: string;
}

/** Read when it is asked for the first time. */
export function pageBundle(): PageBundle {
  bundle ??= { script: read('page.js'), style: read('page.css') };
  return bundle;
}

let bundle: PageBundle | undefined;

function read(name: string): string {
  return readFileSync(new URL(`./client/${name}`, import.meta.url), 'utf8');
}
