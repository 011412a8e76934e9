import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locateCgroup, locateUnifiedCgroup } from '../../../src/collector/cgroup/locate-cgroup.ts';

// Lines as Linux 6.18 prints them; the layouts are those of cgroups(7) and of container runtimes.
const v1Mount =
  '34 30 0:31 / /sys/fs/cgroup/memory rw,relatime shared:12 - cgroup cgroup rw,memory';
const hybridMounts = [
  '30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
  '31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
  v1Mount,
  '40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
].join('\n');
const v2Mount =
  '25 22 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot';

describe('memory cgroup', () => {
  test.each<[string, string, string | null, 1 | 2, string[]]>([
    [
      'v1, the tree up to the root',
      '4:memory:/pod/session\n0::/\n',
      hybridMounts,
      1,
      ['/sys/fs/cgroup/memory/pod/session', '/sys/fs/cgroup/memory/pod', '/sys/fs/cgroup/memory'],
    ],
    [
      'v1 with controllers mounted together',
      '3:hugetlb,memory:/s\n',
      '34 30 0:31 / /cg rw - cgroup cgroup rw,hugetlb,memory',
      1,
      ['/cg/s', '/cg'],
    ],
    [
      'v2',
      '0::/user.slice/s.scope\n',
      v2Mount,
      2,
      ['/sys/fs/cgroup/user.slice/s.scope', '/sys/fs/cgroup/user.slice', '/sys/fs/cgroup'],
    ],
    ['v2 in a cgroup namespace', '0::/\n', v2Mount, 2, ['/sys/fs/cgroup']],
    [
      'v1 in a container: its cgroup is bind-mounted, the path is the host’s',
      '4:memory:/docker/0a1b\n',
      '34 30 0:31 /docker/0a1b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory',
      1,
      ['/sys/fs/cgroup/memory'],
    ],
    [
      'v1 in a container, a cgroup below the container’s',
      '4:memory:/docker/0a1b/s\n',
      '34 30 0:31 /docker/0a1b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory',
      1,
      ['/sys/fs/cgroup/memory/s', '/sys/fs/cgroup/memory'],
    ],
    [
      'a namespace deeper than the mount: only the mount’s root is known',
      '0::/\n',
      '25 22 0:23 /../.. /sys/fs/cgroup ro - cgroup2 cgroup rw',
      2,
      ['/sys/fs/cgroup'],
    ],
    [
      'a mount of another namespace',
      '4:memory:/\n',
      '34 30 0:31 /docker/0a1b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory',
      1,
      ['/sys/fs/cgroup/memory'],
    ],
    [
      'of two mounts the one that shows the parents',
      '0::/pod/s\n',
      `25 22 0:23 /pod/s /sys/fs/cgroup ro - cgroup2 cgroup rw\n26 22 0:23 / /host/cg ro - cgroup2 cgroup rw`,
      2,
      ['/host/cg/pod/s', '/host/cg/pod', '/host/cg'],
    ],
    [
      'colons and blanks in names',
      '0::/a:b c/d\n',
      '25 22 0:23 / /mnt/c\\040g rw - cgroup2 cgroup2 rw',
      2,
      ['/mnt/c g/a:b c/d', '/mnt/c g/a:b c', '/mnt/c g'],
    ],
    [
      'no mountinfo: the usual place of v1',
      '4:memory:/s\n0::/\n',
      null,
      1,
      ['/sys/fs/cgroup/memory/s', '/sys/fs/cgroup/memory'],
    ],
    [
      'no mountinfo: the usual place of v2',
      '0::/s\n',
      null,
      2,
      ['/sys/fs/cgroup/s', '/sys/fs/cgroup'],
    ],
  ])('%s', (_, cgroup, mountinfo, version, directories) => {
    const location = locateCgroup({ cgroup, mountinfo });
    expect(location?.version).toBe(version);
    expect(location?.levels.map((level) => level.directory)).toEqual(directories);
    expect(location?.mountPoint).toBe(directories.at(-1));
  });

  test('the path of each level is below the mount point', () => {
    const mountinfo = '34 30 0:31 /docker/0a1b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory';
    expect(locateCgroup({ cgroup: '4:memory:/docker/0a1b/s', mountinfo })?.levels).toEqual([
      { path: '/s', directory: '/sys/fs/cgroup/memory/s' },
      { path: '/', directory: '/sys/fs/cgroup/memory' },
    ]);
  });

  test('a recorded tree is read below its root', () => {
    const location = locateCgroup({ cgroup: '0::/s', mountinfo: v2Mount, root: '/recorded' });
    expect(location?.levels[0]?.directory).toBe('/recorded/sys/fs/cgroup/s');
  });

  test.each([
    ['no cgroups at all', '', hybridMounts],
    ['v1 controllers, but not memory, and nothing mounted', '1:cpu:/\n', ''],
    ['memory on v1, not mounted', '4:memory:/s\n0::/\n', v2Mount],
    ['a process outside of our namespace', '0::/../other\n', v2Mount],
    ['not a cgroup file', 'Name:\tcat\n', v2Mount],
  ])('null: %s', (_, cgroup, mountinfo) => {
    expect(locateCgroup({ cgroup, mountinfo })).toBeNull();
  });
});

test('the unified cgroup is found beside a v1 memory cgroup', () => {
  const location = locateUnifiedCgroup({ cgroup: '4:memory:/x\n0::/s\n', mountinfo: hybridMounts });
  expect(location?.levels[0]?.directory).toBe('/sys/fs/cgroup/unified/s');
});

test('any text gives a location that ends at its mount point, or null', () => {
  const part = fc.constantFrom(
    '0::',
    '4:memory:',
    '/',
    '/..',
    'a',
    ' ',
    ' - ',
    'cgroup2',
    '\n',
    ':',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.option(text), (cgroup, mountinfo) => {
      const location = locateCgroup({ cgroup, mountinfo });
      if (location !== null) {
        expect(location.levels.at(-1)).toEqual({ path: '/', directory: location.mountPoint });
      }
    }),
  );
});
