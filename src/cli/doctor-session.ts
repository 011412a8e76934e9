import { examineSession, type SessionExamination } from '../attach/examine-session.ts';
import { printable } from '../report/printable.ts';
import { wrap } from '../report/text-layout.ts';
import { capabilityLines } from './capability-lines.ts';
import type { CommandIo } from './command.ts';
import { openTarget } from './session/target.ts';

/** What `doctor TARGET` prints; UsageError for what is no TARGET. Errors as of {@link examineSession}. */
export async function sessionExamination(
  target: string,
  { io, columns, isJson }: { io: CommandIo; columns: number; isJson: boolean },
): Promise<string> {
  const examination = await examineSession(openTarget(target, io.env), 'node');
  return isJson
    ? `${JSON.stringify({ schemaVersion: 1, ...examination }, null, 2)}\n`
    : text(examination, columns);
}

function text({ capabilities, kernel, recorded, mode }: SessionExamination, columns: number) {
  const is = recorded === null ? 'nothing records there' : `recorded in mode ${recorded}`;
  // What the session says of itself may be anything.
  const said = capabilities.map((each) => ({ ...each, detail: printable(each.detail) }));
  const lines = [
    ...capabilityLines(said, columns),
    '',
    ...wrap(printable(`Linux ${kernel}; ${is}`), { columns, lead: 'now     ' }),
    ...wrap(printable(`--mode ${mode.mode}: ${mode.why}`), { columns, lead: 'attach  ' }),
  ];
  return `${lines.join('\n')}\n`;
}
