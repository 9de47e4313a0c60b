import { createServer, type Server } from 'node:http';
import { runProcess } from '@panel/kit/process';
import { AccountServiceService } from '@panel/protos/identity';
import { z } from 'zod';
import { createApp } from '../../../gateway/dist/src/app.js';
import type { Credential, CredentialReader } from '../../../gateway/dist/src/auth/authenticator.js';
import { readConfig } from '../../../gateway/dist/src/config.js';
import { createContext, type GatewayContext } from '../../../gateway/dist/src/context.js';
import { RateLimiter } from '../../../gateway/dist/src/limits/limiter.js';
import type { Counters } from '../../../gateway/dist/src/limits/counters.js';
import { routes } from '../../../gateway/dist/src/routes/index.js';
import { account, one, route } from '../../../gateway/dist/src/declaration/route.js';

/**
 * One route without service calls, on three ports: unchanged, and without one check each. In one process, because two
 * processes of one program differ by more than a check costs.
 */
const benchRoute = route({
  method: 'GET',
  path: '/api/v1/bench',
  summary: 'A constant answer',
  access: account(AccountServiceService.getAccount),
  rate: 'general',
  response: one(z.object({ hello: z.string(), number: z.number(), text: z.string() })),
  handler: () => Promise.resolve({ hello: 'world', number: 42, text: 'a constant answer of about a hundred bytes' }),
});

/** Counts nothing, and reports no changes. */
const noCounters: Counters = {
  count: (counts) =>
    Promise.resolve({
      counts: counts.map(() => ({ used: 1, resetsAt: Date.now() + 60_000 })),
      epochs: { instance: '', all: '', user: '' },
      share: 1,
    }),
};

/** Caches credentials by header without verifying tokens. */
function trusting(reader: CredentialReader): CredentialReader {
  const known = new Map<string | undefined, Credential>();
  const fromHeader = (header: string | undefined): Credential => {
    const credential = known.get(header) ?? reader.fromHeader(header);
    known.set(header, credential);
    return credential;
  };
  return Object.assign(Object.create(reader) as CredentialReader, { fromHeader });
}

/** The gateway unchanged, without counting, and without reading the token. */
function variantsOf(context: GatewayContext): Readonly<Record<'full' | 'noLimit' | 'noJwt', GatewayContext>> {
  return {
    full: context,
    noLimit: { ...context, limiter: new RateLimiter(context.limiter.rules, noCounters) },
    noJwt: { ...context, credentials: trusting(context.credentials) },
  };
}

async function serve(context: GatewayContext): Promise<{ server: Server; listen: string }> {
  const handle = createApp(context, [...routes, benchRoute]).callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return { server, listen: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` };
}

await runProcess('gateway', async () => {
  const context = await createContext(readConfig());
  const variants = variantsOf(context);
  const full = await serve(variants.full);
  const noLimit = await serve(variants.noLimit);
  const noJwt = await serve(variants.noJwt);
  return {
    addresses: { listen: full.listen, metrics: '', noLimit: noLimit.listen, noJwt: noJwt.listen },
    log: context.log,
    stop: async () => {
      for (const { server } of [full, noLimit, noJwt]) {
        server.closeAllConnections();
        server.close();
      }
      await context.close();
    },
  };
});
