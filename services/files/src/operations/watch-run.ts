/** At most every 250 ms, at least every 5 s. Throws the run's error. */
export async function* watchRun<P extends object>(
  { progress, result }: { readonly progress: P; readonly result: Promise<unknown> },
  signal: AbortSignal,
): AsyncGenerator<P> {
  const tickMs = 250;
  const maxIdleTicks = 20;
  const ended = new AbortController();
  const end = result.finally(() => ended.abort());
  // thrown below
  end.catch(() => undefined);
  let sent = '';
  for (let idleTicks = 0; !ended.signal.aborted; idleTicks += 1) {
    signal.throwIfAborted();
    const current = { ...progress };
    if (JSON.stringify(current) !== sent || idleTicks >= maxIdleTicks) {
      sent = JSON.stringify(current);
      idleTicks = 0;
      yield current;
    }
    await tick(end, tickMs);
  }
  await end;
}

async function tick(end: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    await Promise.race([late, end.catch(() => undefined)]);
  } finally {
    clearTimeout(timer);
  }
}
