import { verifyFile } from '../store/verify/verify-file.ts';
import type { Command } from './command.ts';
import { requireRegularFile } from './input-file.ts';
import { nameOption, oneFile, switchOption } from './parse-arguments.ts';
import { repair } from './repair.ts';
import { verifyJson } from './verify-json.ts';
import { verifyText } from './verify-text.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Is this recording whole? Says what is damaged or missing, and saves what is left.',
  usage: ['headroom verify FILE [OPTIONS]'],
  options: {
    repair: {
      type: 'string',
      value: 'OUT',
      help: 'write a whole recording of what can be read; FILE stays as it is',
    },
    json: { type: 'boolean', help: 'say it as JSON' },
  },
  examples: [
    'headroom verify task.db',
    'headroom verify task.db --repair saved.db',
    'headroom verify task.db --json | jq .problems',
  ],
  async run(parsed, io) {
    const file = oneFile(parsed);
    const out = nameOption(parsed, 'repair');
    requireRegularFile(file);
    const verification = verifyFile(file, { isRecording: out !== null });
    const repaired = out === null ? null : repair(verification, out);
    const isJson = switchOption(parsed, 'json');
    io.stdout.write((isJson ? verifyJson : verifyText)(verification, repaired));
    return verification.isWhole || repaired !== null ? 0 : 1;
  },
};
