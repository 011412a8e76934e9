import { SessionCollector } from '../../attach/session-collector.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { sessionOf, targetHelp } from '../session/target.ts';
import { outOption, pulledFile, pullLastTo } from './pulled-file.ts';

export const pullCommand: Command = {
  name: 'pull',
  summary: `Fetches a checked copy of what is recorded in a session so far. ${targetHelp}`,
  usage: ['headroom pull TARGET [--out FILE]'],
  options: { out: outOption },
  examples: ['headroom pull kernel:ID', 'headroom pull vm:http://localhost:10001 --out so-far.db'],
  async run(parsed, io) {
    const { session, others } = sessionOf(parsed, io.env);
    if (others.length > 0) throw new UsageError(`one TARGET only, not "${others[0]}" as well`);
    const out = pulledFile(parsed, session.name);
    const { collector } = await SessionCollector.locate(session);
    await pullLastTo(collector, out, io);
    return 0;
  },
};
