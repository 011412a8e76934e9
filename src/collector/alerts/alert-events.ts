import type { Note } from '../../model/event.ts';
import type { EventMoment, EventSource } from '../recorder.ts';
import type { Alert, AlertWatch } from './alert-watch.ts';

/** Alerts as notes of the recording; each that begins is handed to `onAlert` as well, which must not wait. */
export function alertEvents(
  watch: Pick<AlertWatch, 'next'>,
  onAlert: (alert: Alert) => void,
): EventSource {
  const read = ({ sample }: EventMoment): Note[] => {
    const { began, over } = watch.next(sample);
    const { timeUnixMs } = sample;
    for (const alert of began) onAlert(alert);
    return [
      ...began.map(({ message }): Note => ({ kind: 'note', timeUnixMs, code: 'alert', message })),
      ...over.map(
        ({ text }): Note => ({
          kind: 'note',
          timeUnixMs,
          code: 'alert_over',
          message: `${text}: no more`,
        }),
      ),
    ];
  };
  return { read, finish: read };
}
