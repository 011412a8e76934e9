import type { FollowEvent } from './follow.ts';

/** An event for a person; null for one that needs no words. May hold what the session said. */
export function followWords(event: FollowEvent): string | null {
  switch (event.kind) {
    case 'heard':
      return null;
    case 'silent':
      return 'the collector runs and says nothing: is the session in standby?';
    case 'restarted':
      return `the collector ended (${event.problem ?? 'without a word'}) and is started again`;
    case 'trouble':
      return `${event.error.message} [${event.error.code}]`;
    case 'recovered':
      return 'in contact again';
  }
}
