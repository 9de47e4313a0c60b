import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface SymlinkRace {
  /** Number of turns; 0 after losing its root. Rejects on failure. */
  stop(): Promise<number>;
}

export async function startSymlinkRace(root: string, outside: string, turns: number): Promise<SymlinkRace> {
  const child = fork(fileURLToPath(new URL('symlink-race-worker.js', import.meta.url)), [root, outside, String(turns)]);
  const exit = once(child, 'exit');
  await once(child, 'message');
  return {
    stop: async () => {
      let done = 0;
      child.on('message', (value) => (done = Number(value)));
      // It may have ended by itself a moment ago.
      if (child.connected) child.send('stop', () => undefined);
      const [code] = await exit;
      if (code !== 0) throw new Error(`the malicious process ended with ${String(code)}`);
      return done;
    },
  };
}
