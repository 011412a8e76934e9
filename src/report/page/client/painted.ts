/**
 * Calls when the frame that comes next has been painted; with a mark for whoever measures it, from the
 * start of the navigation.
 */
export function oncePainted(mark: string, then?: () => void): void {
  requestAnimationFrame(() =>
    setTimeout(() => {
      performance.mark(mark);
      then?.();
    }),
  );
}
