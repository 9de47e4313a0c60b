import { AppError, createLogger } from '@panel/kit';
import {
  createActorSigner,
  type GrpcServer,
  type Handlers,
  type ServedService,
  type ServiceDefinition,
  startGrpcServer,
} from '@panel/rpc';

export const serviceSecret = 'test-service-secret-0123456789abcdef';
export const silent = createLogger({ service: 'test', level: 'silent' });

/** A service of which a test needs only some methods; the others answer as a service that does not have them yet. */
export function fake<S extends ServiceDefinition>(definition: S, handlers: Partial<Handlers<S>>): ServedService {
  const missing = Object.keys(definition).map((name) => [
    name,
    () => {
      throw new AppError('unimplemented', 'NOT_IMPLEMENTED', `${name} is not part of this test`);
    },
  ]);
  return { definition, handlers: { ...Object.fromEntries(missing), ...handlers } };
}

/** Serve fakes over the real transport, with the real checks of actors. */
export async function serveFakes(services: readonly ServedService[]): Promise<GrpcServer> {
  const server = await startGrpcServer(services, {
    listen: '127.0.0.1:0',
    signer: createActorSigner(serviceSecret),
    log: silent,
  });
  server.setReady(true);
  return server;
}
