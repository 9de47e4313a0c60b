import { createActorSigner, type Handlers, type ServedService, startGrpcServer } from '@panel/rpc';
import { createLogger } from '@panel/kit/process';
import { AuthenticateResponse, AuthServiceService } from '@panel/protos/identity';
import {
  ConsoleServiceService,
  PowerState,
  Server,
  ServerServiceService,
  type WatchEvent,
} from '@panel/protos/servers';

/**
 * An identity that accepts all, and a server whose game prints BENCH_LINES lines of 100 bytes a second for
 * BENCH_SECONDS once watched. Lines include number and print time.
 */
const linesPerSecond = Number(process.env.BENCH_LINES ?? 10_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const secret = process.env.SERVICE_SECRET ?? '';
const linesPerMessage = Number(process.env.BENCH_BATCH ?? 64);
const tickMs = 5;

const authenticate: Handlers<typeof AuthServiceService>['authenticate'] = async ({ credential }) =>
  Promise.resolve(
    AuthenticateResponse.create({
      userId: process.env.BENCH_USER ?? '',
      username: 'bench',
      permissions: ['*'],
      rateLimitMultiplier: 1,
      sessionId: credential?.$case === 'sessionId' ? credential.value : '',
      expireTime: new Date(Date.now() + 3_600_000),
    }),
  );

async function* watchServer(): AsyncGenerator<{ events: WatchEvent[] }> {
  yield { events: [{ event: { $case: 'powerState', value: { state: PowerState.RUNNING } } }] };
  yield { events: [{ event: { $case: 'historyEnd', value: {} } }] };
  await started;
  const begin = performance.now();
  let sequence = 0;
  while (sequence < linesPerSecond * seconds) {
    const due = Math.min(linesPerSecond * seconds, Math.floor(((performance.now() - begin) * linesPerSecond) / 1_000));
    const events: WatchEvent[] = [];
    while (sequence < due && events.length < linesPerMessage) events.push(line(++sequence));
    if (events.length > 0) yield { events };
    else await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  process.send?.({ type: 'printed', lines: sequence });
  await new Promise(() => undefined);
}

function line(sequence: number): WatchEvent {
  const text = `${sequence} ${(performance.timeOrigin + performance.now()).toFixed(2)} `.padEnd(100, 'x');
  return { event: { $case: 'console', value: { sequence, text, time: new Date() } } };
}

let start: () => void = () => undefined;
const started = new Promise<void>((resolve) => {
  start = resolve;
});
process.on('message', () => start());

/** Only the methods of one console. */
function only(definition: ServedService['definition'], given: Record<string, unknown>): ServedService {
  const missing = Object.keys(definition).map((name) => [name, () => Promise.reject(new Error(`${name} is not here`))]);
  return { definition, handlers: { ...Object.fromEntries(missing), ...given } };
}

const server = await startGrpcServer(
  [
    only(AuthServiceService, { authenticate }),
    only(ServerServiceService, {
      getServer: async ({ serverId }: { serverId: string }) =>
        Promise.resolve({ server: Server.create({ id: serverId, permissions: ['*'] }) }),
    }),
    only(ConsoleServiceService, { watchServer }),
  ],
  {
    listen: '127.0.0.1:0',
    signer: createActorSigner(secret),
    log: createLogger({ service: 'fake-services', level: 'warn' }),
  },
);
server.setReady(true);
process.send?.({ type: 'ready', listen: server.address });
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
