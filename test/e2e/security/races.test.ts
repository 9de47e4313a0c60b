import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { type Databases, openDatabases, type Row } from './support/database.js';
import { readToken } from './support/forged-tokens.js';
import { needRedis } from './support/need-redis.js';
import { currentStep, password, TestUsers, type TestUser, totpCode } from './support/users.js';
import { type Answer, dataOf, send } from './support/requests.js';
import { roleIds } from './support/route-table.js';

/* Over two gateways, followed by a check of the database. */
const parallel = 50;
const commandLimit = 30;

describe('concurrent requests for one resource', function () {
  this.timeout(180_000);
  let test: TestStack;
  let bases: readonly string[];
  let databases: Databases;
  let users: TestUsers;

  before(async function () {
    needRedis(this);
    test = await bootStack({ RATE_LIMIT_CONSOLE: `${commandLimit}` }, { gateways: 2 });
    bases = test.stack.gateways.map(({ baseUrl }) => baseUrl);
    databases = await openDatabases(test.stack);
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
  });

  after(async () => {
    await databases?.close();
    await test?.stop();
  });

  const baseAt = (index: number) => bases[index % bases.length] ?? test.stack.baseUrl;
  const rows = (name: string) => databases.collection('identity', name);
  const user = async (id: string): Promise<Row> => {
    const found = await rows('users').findOne({ _id: id });
    if (!found) throw new Error('no such user');
    return found;
  };

  /** Sends a request 50 times at once, alternating gateways. Returns counts by status. */
  async function race(ask: (base: string, index: number) => Promise<Answer>): Promise<Record<number, number>> {
    const answers = await Promise.all(Array.from({ length: parallel }, async (_, index) => ask(baseAt(index), index)));
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  it('leaves one active session after 50 refreshes of one token', async () => {
    const person = await users.signUp();
    const json = { refresh_token: person.refresh_token };
    const children: string[] = [];
    const counts = await race(async (base) => {
      const answer = await send(base, '/api/v1/auth/refresh', { json });
      if (answer.status === 200) children.push((answer.body.data as { refresh_token: string }).refresh_token);
      return answer;
    });
    expect(counts).to.deep.equal({ 200: 1, 401: parallel - 1 });
    const sessions = await rows('sessions').find({ userId: person.id }).toArray();
    expect(sessions, 'the family lives, a double click is no theft').to.have.length(1);
    expect(sessions[0]?.['rotated']).to.have.length(1);
    const next = await send(baseAt(0), '/api/v1/auth/refresh', { json: { refresh_token: children[0] } });
    expect(next.status, 'the one child is alive').to.equal(200);
  });

  it('creates 25 API keys of 50 at a limit of 25', async () => {
    const person = await users.signUp();
    const counts = await race(async (base, index) =>
      send(base, '/api/v1/account/api-keys', { token: person.token, json: { description: `key ${index}` } }),
    );
    expect(counts).to.deep.equal({ 201: 25, 409: parallel - 25 });
    const keys = await rows('api_keys').find({ userId: person.id }).toArray();
    expect(new Set(keys.map((key) => key['slot'])).size).to.equal(25);
    expect(keys).to.have.length(25);
  });

  it('opens one session for 50 logins with one TOTP code', async () => {
    const person = await users.signUp();
    const factor = await users.enableTwoFactor(person);
    const challenges = await Promise.all(Array.from({ length: parallel }, async () => users.challenge(person.email)));
    const before = await rows('sessions').countDocuments({ userId: person.id });
    const step = Math.max(factor.step, currentStep()) + 1;
    const counts = await race(async (base, index) =>
      send(base, '/api/v1/auth/2fa/verify', {
        json: { token: challenges[index], code: totpCode(factor.secret, step) },
      }),
    );
    expect(counts).to.deep.equal({ 200: 1, 401: parallel - 1 });
    expect(await rows('sessions').countDocuments({ userId: person.id })).to.equal(before + 1);
    expect(await user(person.id)).to.have.nested.property('twoFactor.lastStep', step);
  });

  it('opens one session for 50 valid answers to one challenge', async () => {
    const person = await users.signUp();
    const { recoveryCodes } = await users.enableTwoFactor(person);
    const token = await users.challenge(person.email);
    const before = await rows('sessions').countDocuments({ userId: person.id });
    const counts = await race(async (base, index) =>
      send(base, '/api/v1/auth/2fa/verify', { json: { token, recovery_code: recoveryCodes[index % 10] } }),
    );
    expect(counts).to.deep.equal({ 200: 1, 401: parallel - 1 });
    expect(await rows('sessions').countDocuments({ userId: person.id })).to.equal(before + 1);
  });

  it('opens one session for 50 uses of one recovery code', async () => {
    const person = await users.signUp();
    const { recoveryCodes } = await users.enableTwoFactor(person);
    const challenges = await Promise.all(Array.from({ length: parallel }, async () => users.challenge(person.email)));
    const counts = await race(async (base, index) =>
      send(base, '/api/v1/auth/2fa/verify', { json: { token: challenges[index], recovery_code: recoveryCodes[0] } }),
    );
    expect(counts).to.deep.equal({ 200: 1, 401: parallel - 1 });
    expect(await user(person.id))
      .to.have.nested.property('twoFactor.recoveryHashes')
      .with.length(9);
  });

  it('sets one password for 50 uses of one reset link', async () => {
    const person = await users.signUp();
    const token = await users.resetToken(test.stack, person.email);
    const epoch = Number((await user(person.id))['sessionEpoch']);
    const winners: string[] = [];
    const counts = await race(async (base, index) => {
      const secret = `the new password ${index}`;
      const answer = await send(base, '/api/v1/auth/password/reset', { json: { token, password: secret } });
      if (answer.status === 200) winners.push(secret);
      return answer;
    });
    expect(counts).to.deep.equal({ 200: 1, 401: parallel - 1 });
    const after = await user(person.id);
    expect(after['sessionEpoch'], 'sessions ended once').to.equal(epoch + 1);
    expect(after['passwordReset']).to.equal(null);
    await users.login(person.email, winners[0]);
    expect((await send(baseAt(1), '/api/v1/account', { token: person.token })).status).to.equal(401);
  });

  it('creates one user for 50 creations with one address', async () => {
    const name = `twin-${randomUUID().slice(0, 8)}`;
    const counts = await race(async (base, index) =>
      send(base, '/api/v1/admin/users', {
        token: users.adminToken,
        json: {
          email: index % 2 ? `${name}@example.com` : `${name.toUpperCase()}@EXAMPLE.com`,
          username: `${name}${index}`,
        },
      }),
    );
    expect(counts).to.deep.equal({ 201: 1, 409: parallel - 1 });
    expect(await rows('users').countDocuments({ email: `${name}@example.com` })).to.equal(1);
  });

  it('allows five attempts per challenge over two gateways', async () => {
    const person = await users.signUp();
    const factor = await users.enableTwoFactor(person);
    const token = await users.challenge(person.email);
    const wrong = totpCode(factor.secret, 1);
    const counts = await race(async (base) => send(base, '/api/v1/auth/2fa/verify', { json: { token, code: wrong } }));
    expect(counts).to.deep.equal({ 401: parallel });
    const sid = String(readToken(token).claims['sid']);
    expect(await rows('challenges').findOne({ _id: sid })).to.have.property('attempts', 5);
    const attempts = await rows('attempts').findOne({ _id: `second-factor ${person.id}` });
    expect(attempts, 'only these five were compared').to.have.property('count', 5);
    const json = { token, code: totpCode(factor.secret, Math.max(factor.step, currentStep()) + 1) };
    expect((await send(baseAt(0), '/api/v1/auth/2fa/verify', { json })).status, 'the right code, too late').to.equal(
      401,
    );
  });

  it('keeps one administrator when two demote each other', async () => {
    const roles = await roleIds(test.stack.baseUrl, users.adminToken);
    const [one, other] = [await users.signUp(), await users.signUp()];
    // Without the installation's own admin, who steps back and helps by the database.
    const setRole = async (by: TestUser | { token: string }, whom: string, role: string, base: string) =>
      send(base, `/api/v1/admin/users/${whom}`, {
        method: 'PUT',
        token: by.token,
        json: { role_id: roles[role] },
      });
    const admins = async () => rows('users').find({ roleId: roles['admin'] }).toArray();
    const root = { token: users.adminToken };
    await setRole(root, one.id, 'admin', baseAt(0));
    await setRole(root, other.id, 'admin', baseAt(0));
    expect((await setRole(one, test.adminId, 'user', baseAt(0))).status).to.equal(200);
    try {
      for (let round = 0; round < parallel; round++) {
        const answers = await Promise.all([
          setRole(one, other.id, 'user', baseAt(round)),
          setRole(other, one.id, 'user', baseAt(round + 1)),
        ]);
        const left = await admins();
        expect(left.length, `round ${round}: ${answers.map(({ status }) => status).join()}`).to.be.at.least(1);
        const winner = left.some(({ _id }) => _id === one.id) ? one : other;
        const loser = winner === one ? other : one;
        const again = await setRole(winner, loser.id, 'admin', baseAt(round));
        expect(again.status, again.text).to.equal(200);
        expect(await admins()).to.have.length(2);
      }
      await setRole(one, other.id, 'user', baseAt(0));
      const last = await setRole(one, one.id, 'user', baseAt(1));
      expect(last.status, 'the last admin').to.equal(409);
      const gone = await send(baseAt(0), `/api/v1/admin/users/${one.id}`, { method: 'DELETE', token: one.token });
      expect(gone.status).to.equal(409);
      expect(await admins()).to.have.length(1);
    } finally {
      // By the remaining one.
      for (const by of [one, other]) await setRole(by, test.adminId, 'admin', baseAt(0));
      for (const whom of [one, other]) await setRole(root, whom.id, 'user', baseAt(0));
    }
  });

  it('applies one of two concurrent password changes and ends the other session', async () => {
    const first = await users.signUp();
    const second = await users.signIn(first);
    const change = async (token: string, secret: string, base: string) =>
      send(base, '/api/v1/account/password', {
        method: 'PUT',
        token,
        json: { current_password: password, password: secret },
      });
    const answers = await Promise.all([
      change(first.token, 'a password of the one', baseAt(0)),
      change(second.token, 'a password of the other', baseAt(1)),
    ]);
    const codes = answers.map(({ status }) => `${status}`).sort();
    // The loser's old password or session is invalid by then.
    expect(codes).to.be.deep.oneOf([
      ['200', '401'],
      ['200', '422'],
    ]);
    const alive = await Promise.all(
      [first, second].map(async ({ token }) => `${(await send(baseAt(1), '/api/v1/account', { token })).status}`),
    );
    expect(alive.sort()).to.deep.equal(['200', '401']);
    const winner = answers[0]?.status === 200 ? 'a password of the one' : 'a password of the other';
    await users.login(first.email, winner);
    const sessions = await dataOf<unknown[]>(baseAt(0), '/api/v1/account/sessions', {
      token: answers[0]?.status === 200 ? first.token : second.token,
    });
    expect(sessions, 'the one that changed it, and the sign-in just now').to.have.length(2);
  });

  it('counts each of 50 commands for one server once, and none of a stranger', async () => {
    const { id } = await createGame(test);
    const path = `/api/v1/servers/${id}/command`;
    const json = { command: 'say' };
    const stranger = await users.signUp();
    expect(await race(async (base) => send(base, path, { token: stranger.token, json }))).to.deep.equal({
      404: parallel,
    });
    const remaining: number[] = [];
    const token = test.admin.token() ?? '';
    // Not running: refusals count too.
    const counts = await race(async (base) => {
      const answer = await send(base, path, { token, json });
      expect(answer.headers['x-ratelimit-limit']).to.equal(`${commandLimit}`);
      if (answer.status === 409) remaining.push(Number(answer.headers['x-ratelimit-remaining']));
      else expect(Number(answer.headers['retry-after'])).to.be.within(1, 60);
      return answer;
    });
    expect(counts).to.deep.equal({ 409: commandLimit, 429: parallel - commandLimit });
    expect(remaining.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: commandLimit }, (_, at) => at));
  });
});
