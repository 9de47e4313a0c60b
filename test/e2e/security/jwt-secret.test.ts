import { type Stack, startStack } from '@panel/stack';
import { expect } from 'chai';
import { adminPassword, bootStack } from '../support/stack.js';
import { send } from './support/requests.js';
import { TestUsers } from './support/users.js';

const jwtSecret = 'a secret of this test 0123456789 abcdefghij';
const account = '/api/v1/account';

describe('after JWT_SECRET was changed', function () {
  this.timeout(180_000);

  it('ends every session and keeps API keys and second factors', async () => {
    const own = await bootStack({ JWT_SECRET: jwtSecret });
    let again: Stack | undefined;
    try {
      const before = new TestUsers(own.stack.baseUrl, own.admin.token() ?? '');
      const person = await before.signUp();
      const { key } = await before.createApiKey(person.token);
      const protectedPerson = await before.signUp();
      const factor = await before.enableTwoFactor(protectedPerson);
      const challenge = await before.challenge(protectedPerson.email);
      await own.stack.stop();
      const env = { PATH: process.env.PATH, PORT: '0', RUNTIME: 'process', DATA_DIR: own.stack.dataDir };
      const limits = { RATE_LIMIT_GENERAL: '100000', RATE_LIMIT_AUTH: '10000' };
      again = await startStack({
        env: { ...env, ...limits, JWT_SECRET: 'another secret, as long as it has to be at least' },
        log: () => undefined,
      });
      const at = again.baseUrl;
      expect((await send(at, account, { token: person.token })).status, 'access').to.equal(401);
      const refresh = await send(at, '/api/v1/auth/refresh', { json: { refresh_token: person.refresh_token } });
      expect(refresh.status, 'refresh').to.equal(401);
      const json = { token: challenge, recovery_code: factor.recoveryCodes[0] };
      expect((await send(at, '/api/v1/auth/2fa/verify', { json })).status, 'challenge').to.equal(401);
      expect((await send(at, account, { token: key })).status, 'API key').to.equal(200);

      const later = new TestUsers(
        at,
        (await new TestUsers(at, '').login(again.adminEmail, adminPassword)).access_token,
      );
      expect((await send(at, account, { token: (await later.signIn(person)).token })).status).to.equal(200);
      const fresh = await later.challenge(protectedPerson.email);
      const answer = await send(at, '/api/v1/auth/2fa/verify', {
        json: { token: fresh, recovery_code: factor.recoveryCodes[1] },
      });
      expect(answer.status, 'the second factor outlives the secret').to.equal(200);
    } finally {
      await again?.stop();
      await own.stop();
    }
  });
});
