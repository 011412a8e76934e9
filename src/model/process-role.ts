/**
 * What a process does inside a Chromium. The first eight are Chromium's own process types (the
 * utility process is split by its sub-type, because the network and storage services are the ones
 * people ask about); `other` is every process that is not Chromium's.
 */
export const processRoles = [
  'browser',
  'renderer',
  'extension',
  'gpu',
  'network',
  'storage',
  'utility',
  'zygote',
  'crashpad',
  'other',
] as const;

export type ProcessRole = (typeof processRoles)[number];
