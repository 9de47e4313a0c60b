import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import {
  createActorSigner,
  type GrpcServer,
  type Handlers,
  type ServedService,
  type ServiceDefinition,
  startGrpcServer,
} from '@panel/rpc';
import { rpcPermissionOf } from '@panel/protos/permissions';

export const serviceSecret = 'test-service-secret-0123456789abcdef';
export const silent = createLogger({ service: 'test', level: 'silent' });

/** Other methods respond as unimplemented. */
export function fake<S extends ServiceDefinition>(definition: S, handlers: Partial<Handlers<S>>): ServedService {
  const missing = Object.keys(definition).map((name) => [
    name,
    () => {
      throw new AppError('unimplemented', 'NOT_IMPLEMENTED', `${name} is not part of this test`);
    },
  ]);
  return { definition, handlers: { ...Object.fromEntries(missing), ...handlers } };
}

/** Unsigned, unlike the real one. */
export function grantFor(permission: string, serverId: string): string {
  return `${permission} on ${serverId}`;
}

/** Like the real service, accepts a grant only for the RPC's permission. */
export function fakeFiles<S extends ServiceDefinition>(definition: S, handlers: Partial<Handlers<S>>): ServedService {
  const strict = Object.entries<unknown>(handlers).map(([name, handler]) => {
    const { grant = 'nothing' } = rpcPermissionOf(definition[name] as S[keyof S]);
    const handle = handler as (request: unknown, context: unknown) => unknown;
    return [name, (request: unknown, context: unknown) => handle(withGrant(request, grant), context)];
  });
  return fake(definition, Object.fromEntries(strict) as Partial<Handlers<S>>);
}

function withGrant(request: unknown, wanted: string): unknown {
  if (isStream(request)) return checkedStream(request, wanted);
  requireGrant(request, wanted);
  return request;
}

async function* checkedStream(requests: AsyncIterable<StreamMessage>, wanted: string) {
  for await (const message of requests) {
    const { part } = message;
    if (part?.$case === 'start') requireGrant(part.value, isReplacement(part.value) ? 'file.update' : wanted);
    yield message;
  }
}

/** Of a resumable upload. */
function isReplacement(start: unknown): boolean {
  return typeof start === 'object' && start !== null && 'overwrite' in start && start.overwrite === true;
}

interface StreamMessage {
  readonly part?: { readonly $case: string; readonly value?: unknown };
}

function isStream(request: unknown): request is AsyncIterable<StreamMessage> {
  return typeof request === 'object' && request !== null && Symbol.asyncIterator in request;
}

function requireGrant(request: unknown, wanted: string): void {
  const { grant = '' } = request as { readonly grant?: string };
  if (!grant.startsWith(`${wanted} on `))
    throw new AppError('permission_denied', 'GRANT_INSUFFICIENT', `the grant does not allow ${wanted}`);
}

/** Real transport and actor checks. */
export async function serveFakes(services: readonly ServedService[]): Promise<GrpcServer> {
  const server = await startGrpcServer(services, {
    listen: '127.0.0.1:0',
    signer: createActorSigner(serviceSecret),
    log: silent,
  });
  server.setReady(true);
  return server;
}
