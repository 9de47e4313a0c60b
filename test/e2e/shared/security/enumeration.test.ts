import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { jwtSecret, sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { accessClaims, signToken } from '../../security/support/forged-tokens.js';
import { password, TestUsers, type TestUser } from '../../security/support/users.js';
import { type Answer, send, type Sent } from '../../security/support/requests.js';

/* By text or duration of a response (CVE-2019-1020002, GHSA-j7f5-gfqm-pcx3). */
/** Interleaved by kind, so that load affects all alike. */
const samples = 17;

describe('account enumeration', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let base: string;
  let users: TestUsers;
  let plain: TestUser;
  let careful: TestUser;
  let passwordless: { email: string };

  before(async () => {
    test = await sharedStack();
    base = test.stack.baseUrl;
    users = new TestUsers(base, test.admin.token() ?? '');
    plain = await users.signUp();
    careful = await users.signUp();
    await users.enableTwoFactor(careful);
    passwordless = await users.create();
  });

  const nobody = () => `nobody-${randomBytes(6).toString('hex')}@example.com`;
  const login = (email: string): [string, Sent] => [
    '/api/v1/auth/login',
    { json: { email, password: 'not the password' } },
  ];

  /** All but the id, the date and the counters. */
  function face({ status, text, headers }: Answer): string {
    const { 'x-request-id': _id, date: _date, ...rest } = headers;
    const shown = Object.entries(rest).filter(([name]) => !name.startsWith('x-ratelimit'));
    return JSON.stringify([status, text, shown]);
  }

  async function expectAlike(requests: Record<string, readonly [string, Sent]>, status: number): Promise<void> {
    const faces = new Map<string, string>();
    for (const [name, [path, sent]] of Object.entries(requests)) {
      const answer = await send(base, path, sent);
      expect(answer.status, name).to.equal(status);
      faces.set(name, face(answer));
    }
    expect([...new Set(faces.values())], JSON.stringify([...faces.keys()])).to.have.length(1);
  }

  it('answers every failed login in the same way', async () => {
    const challenge = await users.challenge(careful.email);
    const verify = (token: string, proof: object): [string, Sent] => [
      '/api/v1/auth/2fa/verify',
      { json: { token, ...proof } },
    ];
    await expectAlike(
      {
        'a wrong password': login(plain.email),
        'a wrong password where there is a second factor': login(careful.email),
        'an account without a password': login(passwordless.email),
        'an administrator': login(test.adminEmail),
        'an unknown address': login(nobody()),
        'no address at all': login('x'),
        'a bad refresh token': ['/api/v1/auth/refresh', { json: { refresh_token: 'x' } }],
        'a wrong code': verify(challenge, { code: '000000' }),
        'a wrong recovery code': verify(challenge, { recovery_code: 'abcd-efgh-ijkm-npqr' }),
        'an invented challenge': verify(randomBytes(20).toString('hex'), { code: '000000' }),
        'no credentials': ['/api/v1/account', {}],
        'a wrong token': ['/api/v1/account', { token: 'x' }],
      },
      401,
    );
  });

  it('names the next step to the holder of an ended challenge or of an invalid link', async () => {
    const claims = accessClaims(careful.id, randomUUID(), { aud: 'panel-2fa', typ: 'challenge' });
    const ended = { token: signToken(claims, jwtSecret), code: '000000' };
    const link = { token: 'x'.repeat(43), password };
    for (const [path, json, reason] of [
      ['/api/v1/auth/2fa/verify', ended, 'challenge_ended'],
      ['/api/v1/auth/password/reset', link, 'invalid_link'],
    ] as const) {
      const { status, text } = await send(base, path, { json });
      expect(status).to.equal(401);
      expect(JSON.parse(text)).to.deep.nested.include({ 'error.code': 'unauthorized', 'error.details': { reason } });
    }
  });

  it('answers a password reset alike for known and unknown addresses', async () => {
    const forgot = (email: string): [string, Sent] => ['/api/v1/auth/password/forgot', { json: { email } }];
    await expectAlike(
      {
        somebody: forgot(plain.email),
        'somebody in capitals': forgot(plain.email.toUpperCase()),
        'somebody without a password': forgot(passwordless.email),
        'an administrator': forgot(test.adminEmail),
        nobody: forgot(nobody()),
      },
      200,
    );
  });

  it('answers a taken address or name with the same conflict whoever has it', async () => {
    const change = (json: object): [string, Sent] => ['/api/v1/account', { method: 'PUT', token: plain.token, json }];
    const email = (address: string) => change({ email: address, current_password: password });
    await expectAlike(
      {
        'an administrator’s': email(test.adminEmail),
        'a user’s': email(careful.email),
        'another spelling': email(careful.email.toUpperCase()),
      },
      409,
    );
    await expectAlike(
      {
        'a user’s': change({ username: careful.username }),
        'in capitals': change({ username: careful.username.toUpperCase() }),
      },
      409,
    );
    const wrong = (address: string) => change({ email: address, current_password: 'not the password' });
    await expectAlike({ taken: wrong(careful.email), free: wrong(nobody()) }, 422);
  });

  it('limits how many addresses a user can try on their own account', async () => {
    const { token } = await users.signUp();
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++) {
      const json = { email: careful.email, current_password: password };
      statuses.push((await send(base, '/api/v1/account', { method: 'PUT', token, json })).status);
    }
    expect(statuses.filter((status) => status === 409)).to.have.length(10);
    expect(statuses.at(-1)).to.equal(429);
  });

  it('locks out guesses from all addresses, but not the owner at an address used before', async () => {
    const owner = await users.signUp();
    const signIn = async (given: string, from: string) =>
      (await send(base, '/api/v1/auth/login', { json: { email: owner.email, password: given }, from })).status;
    const guesses = Array.from({ length: 51 }, async (_, index) => signIn(`guess number ${index}`, `127.9.${index}.1`));
    expect([...new Set(await Promise.all(guesses))]).to.deep.equal([401]);
    expect(await signIn(password, '127.9.200.1'), 'the right one, from a new address, looks wrong').to.equal(401);
    expect(await signIn(password, '127.0.0.1'), 'the right one, from where the owner was').to.equal(200);
    expect(await signIn('one more guess', '127.0.0.1')).to.equal(401);
  });

  it('answers 404 for objects of other users as for unknown ones', async () => {
    const { id } = await users.createApiKey(careful.token);
    const remove = (keyId: string): [string, Sent] => [
      `/api/v1/account/api-keys/${keyId}`,
      { method: 'DELETE', token: plain.token },
    ];
    await expectAlike({ 'another’s': remove(id), 'nobody’s': remove(randomUUID()), 'no id': remove('x') }, 404);
    const look = (path: string): [string, Sent] => [path, { token: plain.token }];
    await expectAlike(
      {
        'a user there is': look(`/api/v1/admin/users/${careful.id}`),
        'a user there is not': look(`/api/v1/admin/users/${randomUUID()}`),
        'a list': look('/api/v1/admin/users'),
        'another area': look('/api/v1/admin/settings'),
      },
      403,
    );
  });

  /*
   * Lower quartiles, because other load only adds. A database round trip is a tenth of a millisecond, a password hash
   * forty.
   */
  const timed: readonly [
    name: string,
    request: (kind: 'known' | 'unknown') => readonly [string, Sent],
    maxRatio: number,
  ][] = [
    ['signing in', (kind) => login(kind === 'known' ? plain.email : nobody()), 1.5],
    ['signing in without a password to have', (kind) => login(kind === 'known' ? passwordless.email : nobody()), 1.5],
    ['signing in where there is a second factor', (kind) => login(kind === 'known' ? careful.email : plain.email), 1.5],
    [
      'a forgotten password',
      (kind) => ['/api/v1/auth/password/forgot', { json: { email: kind === 'known' ? plain.email : nobody() } }],
      4,
    ],
  ];
  for (const [name, request, maxRatio] of timed) {
    it(`takes equally long for known and unknown accounts: ${name}`, async () => {
      const times = { known: [] as number[], unknown: [] as number[] };
      for (let i = 0; i < samples; i++) {
        for (const kind of i % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
          times[kind].push((await send(base, ...request(kind))).ms);
        }
      }
      const [known, unknown] = [lowerQuartile(times.known), lowerQuartile(times.unknown)];
      const ratio = Math.max(known, unknown) / Math.min(known, unknown);
      expect(ratio, `${known.toFixed(1)} ms and ${unknown.toFixed(1)} ms`).to.be.below(maxRatio);
    });
  }

  function lowerQuartile(values: readonly number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 4)] ?? 0;
  }
});
