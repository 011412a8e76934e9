import { printable } from './printable.ts';

/** Which file was left out, and why. */
export function leftOutWords({ file, reason }: { file: string; reason: string }): string {
  return printable(reason.startsWith(file) ? reason : `${file}: ${reason}`);
}
