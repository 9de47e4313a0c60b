import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { createActorSigner, type GrpcServer, serve, startGrpcServer } from '@panel/rpc';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { UserServiceService } from '@panel/protos/identity';
import { EggServiceService, ServerServiceService, UsageServiceService } from '@panel/protos/servers';
import { FakeActivity, FakeMail, FakeServers, FakeUsage, fakeUsers } from './fakes.js';
import { serviceSecret } from './replica.js';

/** Behind one address. */
export interface FakeServices {
  readonly address: string;
  readonly servers: FakeServers;
  readonly usage: FakeUsage;
  readonly mail: FakeMail;
  stop(): Promise<void>;
}

export async function startFakeServices(): Promise<FakeServices> {
  const [servers, usage, mail] = [new FakeServers(), new FakeUsage(), new FakeMail()];
  const unused = async () => Promise.reject(new AppError('unimplemented', 'NOT_IMPLEMENTED', 'not here'));
  const handlers = (definition: object, used: object) =>
    ({ ...Object.fromEntries(Object.keys(definition).map((name) => [name, unused])), ...used }) as never;
  const settings = {
    general: { currency: 'EUR', url: 'https://panel.test', timezone: 'UTC', name: 'Test' },
    billing: {},
  };
  const server: GrpcServer = await startGrpcServer(
    [
      serve(ServerServiceService, handlers(ServerServiceService, servers.client)),
      serve(EggServiceService, handlers(EggServiceService, servers.eggs)),
      serve(UsageServiceService, handlers(UsageServiceService, usage.client)),
      serve(UserServiceService, handlers(UserServiceService, fakeUsers)),
      serve(MailServiceService, handlers(MailServiceService, mail.client)),
      serve(ActivityServiceService, handlers(ActivityServiceService, new FakeActivity().client)),
      serve(SettingsServiceService, handlers(SettingsServiceService, { getSettings: async () => ({ settings }) })),
    ],
    {
      listen: '127.0.0.1:0',
      signer: createActorSigner(serviceSecret),
      log: createLogger({ service: 'fakes', level: 'silent' }),
    },
  );
  return { address: server.address, servers, usage, mail, stop: async () => server.stop(100) };
}
