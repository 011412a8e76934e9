import fs from 'node:fs';
import { orNull } from '../../model/or-null.ts';

/** The processes in a cgroup and in those below it; empty when it is gone. */
export function cgroupMembers(directory: string): number[] {
  return cgroupTree(directory).flatMap((each) => {
    const text = orNull(() => fs.readFileSync(`${each}/cgroup.procs`, 'utf8')) ?? '';
    return text.split('\n').flatMap((line) => (/^[1-9]\d*$/.test(line) ? Number(line) : []));
  });
}

/** Removes a cgroup and those below it; false, with all of them there, while one has a process. */
export function removeCgroupTree(directory: string): boolean {
  if (cgroupMembers(directory).length > 0) return false;
  // Gone, or still in use: the caller asks again.
  for (const each of cgroupTree(directory).reverse()) orNull(() => fs.rmdirSync(each));
  return !fs.existsSync(directory);
}

/** A cgroup and all below it, each before its children. */
function cgroupTree(directory: string): string[] {
  const entries = orNull(() => fs.readdirSync(directory, { withFileTypes: true }));
  if (entries === null) return [];
  return [
    directory,
    ...entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => cgroupTree(`${directory}/${name}`)),
  ];
}
