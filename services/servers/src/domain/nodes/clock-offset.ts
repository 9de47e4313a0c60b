/** Above it signed tokens and grants, which last for seconds, may be refused. */
const maxClockOffsetMs = 5_000;

/**
 * How far their clock is ahead at least: they read it at some time between question and answer. Negative: behind.
 * All by wall clocks.
 */
export function clockOffsetMs(theirs: Date, sentAt: number, receivedAt: number): number {
  const ahead = theirs.getTime() - receivedAt;
  const behind = theirs.getTime() - sentAt;
  if (ahead > 0) return ahead;
  return behind < 0 ? behind : 0;
}

/** Null: they agree, or are not known. */
export function describeClocks(files: number | null, engine: number | null): string | null {
  const parts = [
    ['files service', files],
    ['engine', engine],
  ] as const;
  const words = parts.flatMap(([name, offset]) => {
    if (offset === null || Math.abs(offset) <= maxClockOffsetMs) return [];
    const seconds = Math.round(Math.abs(offset) / 1_000);
    return [`the clock of its ${name} is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} the panel's`];
  });
  return words.length === 0 ? null : words.join('; ');
}
