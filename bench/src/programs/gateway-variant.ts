import { createServer } from 'node:http';
import { runProcess } from '@panel/kit';
import { AccountServiceService } from '@panel/protos/identity';
import { z } from 'zod';
import { createApp } from '../../../gateway/dist/src/app.js';
import type { Credential, CredentialReader } from '../../../gateway/dist/src/auth/credential.js';
import { readConfig } from '../../../gateway/dist/src/config.js';
import { createContext, type GatewayContext } from '../../../gateway/dist/src/context.js';
import { RateLimiter } from '../../../gateway/dist/src/limits/limiter.js';
import type { Counters } from '../../../gateway/dist/src/limits/counters.js';
import { routes } from '../../../gateway/dist/src/routes/index.js';
import { account, one, route } from '../../../gateway/dist/src/declaration/route.js';

/** A gateway with one more route, which calls no service, and if BENCH_VARIANT says so without one of its checks. */
const benchRoute = route({
  method: 'GET',
  path: '/api/v1/bench',
  summary: 'A constant answer',
  access: account(AccountServiceService.getAccount),
  rate: 'general',
  response: one(z.object({ hello: z.string(), number: z.number(), text: z.string() })),
  handler: () => Promise.resolve({ hello: 'world', number: 42, text: 'a constant answer of about a hundred bytes' }),
});

/** Counts nothing, and says at once that nothing about anybody has changed. */
const noCounters: Counters = {
  count: (counts) =>
    Promise.resolve({
      counts: counts.map(() => ({ used: 1, resetsAt: Date.now() + 60_000 })),
      epochs: { instance: '', all: '', user: '' },
      share: 1,
    }),
};

/** Knows everybody by the token shown first, without looking at another. */
function trusting(reader: CredentialReader): CredentialReader {
  let known: Credential | undefined;
  const trust = { fromHeader: (header: string | undefined) => (known ??= reader.fromHeader(header)) };
  return Object.assign(Object.create(reader) as CredentialReader, trust);
}

function variantOf(context: GatewayContext): GatewayContext {
  switch (process.env.BENCH_VARIANT) {
    case 'no-limit':
      return { ...context, limiter: new RateLimiter(context.limiter.rules, noCounters) };
    case 'no-jwt':
      return { ...context, credentials: trusting(context.credentials) };
    default:
      return context;
  }
}

await runProcess('gateway', async () => {
  const context = await createContext(readConfig());
  const handle = createApp(variantOf(context), [...routes, benchRoute]).callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const listen = `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  return {
    addresses: { listen, metrics: '' },
    log: context.log,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await context.close();
    },
  };
});
