import { type Actor, type Client, connect, createActorSigner, serviceActor, type UserActor } from '@panel/rpc';
import { connectMongo, createIndexes } from '@panel/kit';
import { ProductServiceService } from '@panel/protos/billing';
import { testMongoUrl } from '@panel/stack/testing';
import { readConfig } from '../src/config.js';
import { createProductStore, type ProductStore } from '../src/models/product.js';
import { startBilling } from '../src/service.js';

export interface RunningBilling {
  readonly products: Client<ProductServiceService>;
  /** The collection itself, for what has no call yet. */
  readonly store: ProductStore;
  /** Address of the probes. */
  readonly metrics: string;
  /** Signed, for `actorToken`. */
  tokenOf(actor: Actor): string;
  stop(): Promise<void>;
}

const serviceSecret = 'test-only-secret-of-at-least-32-characters';

/** Billing on any free port with a database of its own. */
export async function startTestBilling(): Promise<RunningBilling> {
  const mongoUrl = testMongoUrl('billing');
  const config = readConfig({
    SERVICE_SECRET: serviceSecret,
    MONGO_URL: mongoUrl,
    SERVERS_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'silent',
  });
  const running = await startBilling(config);
  const signer = createActorSigner(serviceSecret);
  const connection = connect({ address: running.addresses.listen, signer, actor: serviceActor('test') });
  const mongo = await connectMongo(mongoUrl, { appName: 'test' });
  const store = createProductStore(mongo);
  await createIndexes(mongo);
  return {
    products: connection.client(ProductServiceService),
    store,
    metrics: running.addresses.metrics,
    tokenOf: (actor) => signer.sign(actor),
    stop: async () => {
      connection.close();
      await running.stop();
      await mongo.dropDatabase();
      await mongo.close();
    },
  };
}

/** A person with these administrative permissions. */
export function userActor(permissions: readonly string[] = []): UserActor {
  return {
    kind: 'user',
    userId: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a01',
    permissions,
    method: 'session',
    credentialId: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a02',
    ip: '192.0.2.1',
  };
}
