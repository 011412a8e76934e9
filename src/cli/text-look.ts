import type { CommandIo } from './command.ts';

/** How text is to look on stdout: as wide as the terminal, and in colour where there is one. */
export function textLook(io: CommandIo): { columns?: number; color?: boolean } {
  if (io.stdout.isTTY !== true) return {};
  return { columns: io.stdout.columns ?? 80, color: io.env['NO_COLOR'] === undefined };
}
