const afterSignalMs = 5_000;

/**
 * How long is left of the time for several files together, in ms; null: without end. When the signal
 * asks for the end and no time was given, five seconds are left.
 */
export function timeLeft(
  givenMs: number | null,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): () => number | null {
  let endMs = givenMs === null ? null : now() + givenMs;
  const hurry = (): void => {
    endMs ??= now() + afterSignalMs;
  };
  if (signal.aborted) hurry();
  else signal.addEventListener('abort', hurry, { once: true });
  return () => (endMs === null ? null : endMs - now());
}
