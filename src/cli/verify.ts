import { verifyFile } from '../store/verify/verify-file.ts';
import type { Command } from './command.ts';
import { requireRegularFile } from './input-file.ts';
import { oneFile, switchOption } from './parse-arguments.ts';
import { verifyJson } from './verify-json.ts';
import { verifyText } from './verify-text.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Is this recording whole? Says what is damaged or missing, and what to do.',
  usage: ['headroom verify FILE [OPTIONS]'],
  options: {
    json: { type: 'boolean', help: 'say it as JSON' },
  },
  examples: ['headroom verify task.db', 'headroom verify task.db --json | jq .problems'],
  async run(parsed, io) {
    const file = oneFile(parsed);
    requireRegularFile(file);
    const verification = verifyFile(file);
    const isJson = switchOption(parsed, 'json');
    io.stdout.write(isJson ? verifyJson(verification) : verifyText(verification));
    return verification.isWhole ? 0 : 1;
  },
};
