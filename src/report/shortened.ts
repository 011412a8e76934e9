/** What others say of themselves may have any length, and a line of text has not; the JSON has it whole. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
