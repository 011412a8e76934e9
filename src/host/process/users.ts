import fs from 'node:fs';
import { HttpProblem } from '../http/problem.ts';

/** Whom a process is to run as. */
export interface ProcessUser {
  uid: number;
  gid: number;
  /** Null for a number that has no name. */
  name: string | null;
}

/**
 * Looks up `as_user`: a name, a uid, or `uid:gid`. Only what /etc/passwd says: no directory service
 * is asked. 400 when there is no such user.
 */
export function findUser(asked: string, passwdFile = '/etc/passwd'): ProcessUser {
  const users = parsePasswd(fs.readFileSync(passwdFile, 'utf8'));
  const numbers = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(asked);
  if (numbers === null) {
    const user = users.find(({ name }) => name === asked);
    if (user === undefined) throw new HttpProblem(400, 'as_user: no such user');
    return user;
  }
  const uid = Number(numbers[1]);
  const known = users.find((user) => user.uid === uid);
  const gid = numbers[2] === undefined ? known?.gid : Number(numbers[2]);
  const largest = 2 ** 32 - 2;
  if (uid > largest || (gid ?? uid) > largest) throw new HttpProblem(400, 'as_user: out of range');
  // A uid without an entry has no group of its own: the same number, as in containers.
  return { uid, gid: gid ?? uid, name: known?.name ?? null };
}

function parsePasswd(text: string): ProcessUser[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}
