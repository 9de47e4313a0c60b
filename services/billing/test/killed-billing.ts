import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { reusedMongoUrl } from '@panel/testing';
import { BillingProcess } from './billing-process.js';
import { FakeActivity, fakeUsers, testSettings } from './fakes.js';
import { startFakeServices } from './fake-services.js';
import { userActor } from './harness.js';
import { openReplica, serviceSecret, testEnvironment } from './replica.js';

export type KilledBilling = Awaited<ReturnType<typeof startKilledBilling>>;

/** A replica that goes on where a process of billing was killed, with the same database and fakes. To be stopped. */
export async function startKilledBilling() {
  const fakes = await startFakeServices();
  const mongoUrl = reusedMongoUrl('billing');
  let time = new Date();
  const { servers, usage, mail } = fakes;
  const replica = await openReplica(mongoUrl, () => time, {
    servers: servers.client,
    eggs: servers.eggs,
    usage: usage.client,
    users: fakeUsers,
    mail: mail.client,
    activityClient: new FakeActivity().client,
    settings: { read: async () => testSettings },
    gateways: new Map(),
  });
  return {
    fakes,
    replica,
    now: () => time,
    setTime: (at: Date) => {
      time = at;
    },
    /** A process that dies at the point. */
    startProcess: async (point: string) => {
      const { address } = fakes;
      const services = { SERVERS_ADDRESS: address, IDENTITY_ADDRESS: address, ADMIN_ADDRESS: address };
      const environment = { ...testEnvironment(mongoUrl), ...services, LISTEN: '127.0.0.1:0' };
      return BillingProcess.start(environment, `${point}:kill`);
    },
    /** To be closed. */
    connectTo: ({ address }: BillingProcess) => {
      const signer = createActorSigner(serviceSecret);
      const connection = connect({ address, signer, actor: serviceActor('test'), timeoutMs: 30_000 });
      const as = (userId: string, permissions: readonly string[], idempotencyId: string) => ({
        actorToken: signer.sign({ ...userActor(permissions), userId }),
        timeoutMs: 20_000,
        idempotencyId,
      });
      return { connection, as };
    },
    stop: async () => {
      await replica.stop();
      await fakes.stop();
    },
  };
}
