import { readFileSync } from 'node:fs';
import { setEngineVariables } from './config.js';
import { createDiskGuard } from './disk-guard.js';
import { openEngine } from './engine.js';
import { listen } from './listener.js';
import { sweepExpired } from './ttl-sweeper.js';

/** JSON in the only argument. */
export interface SidecarOptions {
  readonly dataDir: string;
  readonly port: number;
  /** Holds the connections' password. */
  readonly passwordFile: string;
  readonly ttlIntervalMs: number;
  /** Writes are refused below this free space of `dataDir`; 0: never. */
  readonly minFreeDiskMb: number;
}

const reserveIntervalMs = 60_000;

async function run(options: SidecarOptions): Promise<void> {
  const password = readFileSync(options.passwordFile, 'utf8');
  const disk = createDiskGuard(options.dataDir, options.minFreeDiskMb);
  disk.freeReserve();
  setEngineVariables();
  const engine = await openEngine(options.dataDir);
  disk.keepReserve();
  const reserving = setInterval(() => disk.keepReserve(), reserveIntervalMs);
  const listener = await listen(engine, { port: options.port, password, disk });
  const sweeping = new AbortController();
  const sweeper = sweepExpired(engine, options.ttlIntervalMs, sweeping.signal, disk);
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    sweeping.abort();
    clearInterval(reserving);
    await listener.close();
    await sweeper;
    await engine.close();
    process.exit(0);
  };
  const failed = (error: unknown): never => fail(error);
  process.on('SIGTERM', () => void stop().catch(failed));
  // Ignores the terminal's Ctrl-C; the parent ends the database last.
  process.on('SIGINT', () => undefined);
  // The launcher was killed: leave nothing behind.
  process.on('disconnect', () => void stop().catch(failed));
  process.send?.({ type: 'ready', listen: `127.0.0.1:${listener.port}` });
}

function fail(error: unknown): never {
  process.stderr.write(`embedded MongoDB engine: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

run(JSON.parse(process.argv[2] ?? '{}') as SidecarOptions).catch(fail);
