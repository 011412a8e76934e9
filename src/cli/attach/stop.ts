import { notFound } from '../../attach/pull-recording.ts';
import { SessionCollector } from '../../attach/session-collector.ts';
import { stillThere } from '../../attach/still-there.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { sessionOf, targetHelp } from '../session/target.ts';
import { outOption, pulledFile, pullLastTo } from './pulled-file.ts';

export const stopCommand: Command = {
  name: 'stop',
  summary: `Ends the recording in a session, fetches it, and leaves nothing there. ${targetHelp}`,
  usage: ['headroom stop TARGET [--out FILE]'],
  options: { out: outOption },
  examples: ['headroom stop kernel:ID --out task.db'],
  async run(parsed, io) {
    const { session, others } = sessionOf(parsed, io.env);
    if (others.length > 0) throw new UsageError(`one TARGET only, not "${others[0]}" as well`);
    const out = pulledFile(parsed, session.name);
    const { collector } = await SessionCollector.locate(session);
    if ((await collector.request()) === null) throw notFound(session);
    await collector.stop();
    try {
      await pullLastTo(collector, out, io);
    } catch (error) {
      throw stillThere(error, session.name);
    }
    // Only now: what could not be fetched stays where it is.
    await collector.remove();
    return 0;
  },
};
