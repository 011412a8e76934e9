import type { OnCheckProgress } from '../store/check-progress.ts';
import type { Verification } from '../store/verify/verification.ts';
import { verifyFile } from '../store/verify/verify-file.ts';
import { CheckProgress } from './check-progress.ts';
import type { Command } from './command.ts';
import { oneFile, pathOption, switchOption } from './parse-arguments.ts';
import { type Repair, repair } from './repair.ts';
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
    const out = pathOption(parsed, 'repair');
    const progress = new CheckProgress(io, file);
    const onProgress: OnCheckProgress = (step, part) => progress.update(step, part);
    let verification: Verification;
    let repaired: Repair | null = null;
    try {
      verification = verifyFile(file, { isRecording: out !== null, onProgress });
      if (out !== null) repaired = repair(verification, { out, onProgress });
    } finally {
      progress.end();
    }
    const isJson = switchOption(parsed, 'json');
    io.stdout.write((isJson ? verifyJson : verifyText)(verification, repaired));
    const isSaved = repaired !== null && repaired.kind !== 'nothing';
    return verification.isWhole || isSaved ? 0 : 1;
  },
};
