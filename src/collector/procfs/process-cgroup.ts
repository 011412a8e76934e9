// Made once: without its compiler V8 makes a literal anew each time.
const hierarchyLine = /^\d+:([^:]*):(\/.*)$/;

/**
 * `/proc/<pid>/cgroup` (cgroups(7)): the path of the process in the hierarchy that has the memory
 * controller, else in the unified one, as seen from the reader's cgroup namespace. Null when the
 * file names neither.
 */
export function parseProcessCgroup(buffer: Buffer, length: number): string | null {
  return processCgroup(buffer.toString('utf8', 0, length));
}

/** Likewise, of its text. */
export function processCgroup(text: string): string | null {
  return pathInHierarchy(text, 'memory') ?? pathInHierarchy(text, '');
}

/**
 * The path in the hierarchy of a controller; '' is the unified one (v2). Lines are
 * `<id>:<controllers>:<path>`; the path may hold colons. v2 has id 0 and no controllers.
 */
export function pathInHierarchy(cgroup: string, controller: string): string | null {
  for (const line of cgroup.split('\n')) {
    const fields = hierarchyLine.exec(line);
    if (fields?.[1]?.split(',').includes(controller)) return fields[2] ?? null;
  }
  return null;
}
