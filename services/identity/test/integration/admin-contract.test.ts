import type { Stored } from '@panel/kit/mongo';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connect, serviceActor } from '@panel/rpc';
import {
  ActivityServiceService,
  SecuritySettings_RequireTwoFactor,
  Settings,
  SettingsServiceService,
} from '@panel/protos/admin';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { createConnection } from 'mongoose';
import type { UserRecord } from '../../src/domain/user.js';
import { type ServiceProcess, startServiceProcess } from './child-process.js';
import { addUser, type Harness, session, startHarness, testEnvironment, visitor } from './harness.js';
import { until } from './fake-services.js';

const adminMain = fileURLToPath(new URL('../../../../admin/dist/src/main.js', import.meta.url));

/** Compares the fakes of other tests with the real admin service. */
describe('identity with the real admin service', () => {
  let admin: ServiceProcess;
  let harness: Harness;
  let adminMongoUrl: string;
  before(async function () {
    if (!existsSync(adminMain)) {
      if (process.env.CI === 'true') throw new Error('the admin service is not built');
      this.skip();
    }
    const env = testEnvironment(testMongoUrl('identity'));
    adminMongoUrl = testMongoUrl('admin');
    admin = await startServiceProcess({ ...env, MONGO_URL: adminMongoUrl }, adminMain);
    harness = await startHarness({ env: { ...env, ADMIN_ADDRESS: admin.address } });
  });
  after(async () => {
    await harness?.stop();
    await admin?.kill();
  });

  const adminClient = () => connect({ address: admin.address, signer: harness.signer, actor: serviceActor('test') });

  it('delivers activity that its user can list', async () => {
    const { id, email } = await addUser(harness);
    await session(harness, email);
    const connection = adminClient();
    try {
      const client = connection.client(ActivityServiceService);
      const events = async () => (await client.listActivity({ page: undefined, userId: id, serverId: '' })).events;
      await until(async () => (await events()).length > 0, 'the sign-in is written down');
      expect((await events())[0]).to.include({ event: 'auth:success', actorId: id, userId: id, ip: visitor.ip });
    } finally {
      connection.close();
    }
  });

  it('delivers every kind of mail', async () => {
    const users = harness.mongo.collection<Stored<UserRecord>>('users');
    const { id, email } = await addUser(harness);
    const { actor } = await session(harness, email);
    await harness.auth.requestPasswordReset({ email }, harness.as(visitor));
    const move = { email: `moved-${email}`, currentPassword: 'correct horse battery' };
    await harness.account.updateAccount(move, harness.as(actor));
    const empty = { firstName: '', lastName: '', language: '', roleId: '', externalId: '', password: undefined };
    await harness.user.createUser({ ...empty, email: `new-${email}`, username: `new-${id}` });
    await until(async () => (await users.countDocuments({ 'outbox.pending': true })) === 0, 'an empty outbox');
    const theirs = await createConnection(adminMongoUrl).asPromise();
    try {
      const taken = await theirs.collection('mails').find().project<{ to: string }>({ to: 1 }).toArray();
      expect(taken.map(({ to }) => to).filter((to) => to.includes(email))).to.have.members([
        email,
        email,
        `new-${email}`,
      ]);
    } finally {
      await theirs.close();
    }
  });

  it('applies changed security settings', async () => {
    const { email } = await addUser(harness);
    const { actor } = await session(harness, email);
    const connection = adminClient();
    try {
      const security = { requireTwoFactor: SecuritySettings_RequireTwoFactor.ALL };
      const settings = Settings.fromPartial({ security });
      await connection.client(SettingsServiceService).updateSettings({ settings });
      const credential = { $case: 'sessionId' as const, value: actor.credentialId };
      const isRequired = async () => (await harness.auth.authenticate({ credential, ip: '' })).twoFactorRequired;
      await until(isRequired, 'the user must set up a second factor');
    } finally {
      connection.close();
    }
  });
});
