import { HttpProblem } from '../http/problem.ts';
import { findUser } from '../process/users.ts';

/**
 * `owner` (a name or a uid) and `group` (a gid) of a change of permissions; null when neither is
 * given. -1 is what chown(2) takes for "as it is". 400.
 */
export function findOwner(
  owner: string | null,
  group: string | null,
): { uid: number; gid: number } | null {
  if (owner === null && group === null) return null;
  const user = owner === null ? null : findUser(owner);
  if (group !== null && !/^\d{1,9}$/.test(group)) {
    throw new HttpProblem(400, 'group must be a number');
  }
  return { uid: user?.uid ?? unchanged, gid: group === null ? unchanged : Number(group) };
}

const unchanged = 4_294_967_295;
