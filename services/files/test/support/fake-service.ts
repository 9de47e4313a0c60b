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
import { serviceSecret } from '../harness.js';

export function fake<S extends ServiceDefinition>(definition: S, handlers: Partial<Handlers<S>>): ServedService {
  const missing = Object.keys(definition).map((name) => [
    name,
    () => {
      throw new AppError('unimplemented', 'NOT_IMPLEMENTED', `${name} is not part of this test`);
    },
  ]);
  return { definition, handlers: { ...Object.fromEntries(missing), ...handlers } };
}

export async function startFakes(...services: ServedService[]) {
  const server = await startGrpcServer(services, {
    listen: '127.0.0.1:0',
    signer: createActorSigner(serviceSecret),
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  server.setReady(true);
  return server;
}

/** Stops the fakes on a failed start. */
export async function orStop<T>(fakes: GrpcServer, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    await fakes.stop(0);
    throw error;
  }
}
