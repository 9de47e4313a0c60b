import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { connect, createActorSigner, createGrantSigner, serviceActor } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { FileServiceService } from '@panel/protos/files';
import { AccountServiceService, ListUsersRequest, UserServiceService } from '@panel/protos/identity';
import { expect } from 'chai';
import { createGame } from '../../support/game.js';
import { jwtSecret, sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { type Databases, openDatabases } from '../../security/support/database.js';
import { accessClaims, type Claims, readToken, signToken, signWithRsa } from '../../security/support/forged-tokens.js';
import { TestUsers, type TestUser, type SecondFactor, type Tokens } from '../../security/support/users.js';
import { type Answer, exchange, send } from '../../security/support/requests.js';
import { openedOrStatus } from '../../security/support/upgrades.js';

const account = '/api/v1/account';

describe('forged and misused tokens', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let base: string;
  let databases: Databases;
  let users: TestUsers;
  let victim: TestUser;
  let sessionId: string;
  let serverId: string;

  before(async () => {
    test = await sharedStack();
    base = test.stack.baseUrl;
    databases = await openDatabases(test.stack);
    users = new TestUsers(base, test.admin.token() ?? '');
    victim = await users.signUp();
    sessionId = String(readToken(victim.token).claims['sid']);
    ({ id: serverId } = await createGame(test, { user_id: victim.id }));
  });

  after(async () => {
    await databases?.close();
  });

  const right = (change: Claims = {}) => accessClaims(victim.id, sessionId, change);
  const signed = (change: Claims = {}, header: Claims = {}) =>
    signToken(right(change), jwtSecret, { alg: 'HS256', typ: 'JWT', ...header });
  const socketPath = () => `/api/v1/servers/${serverId}/ws`;

  it('accepts the valid token these tests start from', async () => {
    expect((await send(base, account, { token: signed() })).status).to.equal(200);
  });

  describe('forged tokens', () => {
    const seconds = () => Math.floor(Date.now() / 1000);
    const without = (claim: string) => {
      const { [claim]: _gone, ...rest } = right() as Record<string, unknown>;
      return signToken(rest, jwtSecret);
    };
    const withPayload = (change: Claims) => {
      const [header, , signature] = victim.token.split('.');
      const payload = Buffer.from(JSON.stringify({ ...readToken(victim.token).claims, ...change }));
      return `${header}.${payload.toString('base64url')}.${signature}`;
    };
    const cut = (part: number) => victim.token.split('.').map((text, at) => (at === part ? text.slice(0, -1) : text));

    const rows: readonly [name: string, token: () => string][] = [
      // no signature
      ['alg none, unsigned', () => signToken(right(), null, { alg: 'none' })],
      ['alg None', () => signToken(right(), null, { alg: 'None' })],
      ['alg nOnE', () => signToken(right(), null, { alg: 'nOnE' })],
      ['alg none, with the signature kept', () => signToken(right(), jwtSecret, { alg: 'none' })],
      ['no alg at all', () => signToken(right(), jwtSecret, { typ: 'JWT' })],
      ['the right alg, the signature left away', () => `${victim.token.split('.').slice(0, 2).join('.')}.`],
      ['two parts', () => victim.token.split('.').slice(0, 2).join('.')],
      ['four parts', () => `${victim.token}.${victim.token.split('.')[2]}`],
      // secrets possibly left in
      ...['', 'secret', 'changeme', 'password', 'panel', 'null', 'undefined', jwtSecret.slice(0, -1)].map(
        (guess): [string, () => string] => [`signed with "${guess}"`, () => signToken(right(), guess)],
      ),
      ['signed with its own header as the secret', () => signToken(right(), victim.token.split('.')[0] ?? '')],
      // other algorithms and confusion
      ['HS512 with the right secret', () => signToken(right(), jwtSecret, { alg: 'HS512' })],
      ['HS384 with the right secret', () => signToken(right(), jwtSecret, { alg: 'HS384' })],
      ['RS256 with a key of the attacker', () => signWithRsa(right()).token],
      ['HS256 with a public key as the secret', () => signToken(right(), signWithRsa(right()).publicKey)],
      ['alg as a list', () => signToken(right(), jwtSecret, { alg: ['HS256', 'none'] })],
      // keys named by the token itself
      ['kid of /dev/null', () => signToken(right(), '', { alg: 'HS256', kid: '../../../../dev/null' })],
      ['kid that injects', () => signToken(right(), 'x', { alg: 'HS256', kid: "x' UNION SELECT 'x" })],
      ['jwk in the header', () => signToken(right(), 'mine', { alg: 'HS256', jwk: { kty: 'oct', k: 'bWluZQ' } })],
      ['jku to elsewhere', () => signToken(right(), 'mine', { alg: 'HS256', jku: 'http://127.0.0.1:9/keys' })],
      ['crit that nobody understands', () => signed({}, { crit: ['exp'], b64: false })],
      // changed after signing
      ['another user put in', () => withPayload({ sub: test.adminId })],
      ['a role put in', () => withPayload({ role: 'admin', permissions: ['*'] })],
      ['a later end put in', () => withPayload({ exp: seconds() + 864_000 })],
      ['header cut by a character', () => cut(0).join('.')],
      ['payload cut by a character', () => cut(1).join('.')],
      ['signature cut by a character', () => cut(2).join('.')],
      // validly signed, but of another kind
      ['typ refresh', () => signed({ typ: 'refresh' })],
      ['typ challenge', () => signed({ typ: 'challenge' })],
      ['typ missing', () => without('typ')],
      ['typ as a list', () => signed({ typ: ['access', 'refresh'] })],
      ['aud of refresh tokens', () => signed({ aud: 'panel-refresh' })],
      ['aud of both', () => signed({ aud: ['panel-api', 'panel-refresh'] })],
      ['aud missing', () => without('aud')],
      ['iss of another', () => signed({ iss: 'https://evil.example' })],
      ['iss missing', () => without('iss')],
      ['expired a second ago', () => signed({ exp: seconds() - 1 })],
      ['exp missing', () => without('exp')],
      ['exp as text', () => signed({ exp: `${seconds() + 900}` })],
      ['exp beyond numbers', () => signed({ exp: 1e308 })],
      ['not valid before tomorrow', () => signed({ nbf: seconds() + 86_400 })],
      ['session of nobody', () => signed({ sid: randomUUID() })],
      ['session missing', () => without('sid')],
      ['session as an operator', () => signed({ sid: { $ne: null } })],
      ['the session of somebody else', () => signed({ sub: test.adminId })],
      ['user of nobody', () => signed({ sub: randomUUID() })],
      ['user as a list', () => signed({ sub: [victim.id, test.adminId] })],
      ['jti missing', () => without('jti')],
      ['8 KiB long', () => signed({ pad: 'x'.repeat(6 * 1024) })],
      ['nothing but dots', () => '...'],
      ['not base64', () => '%%%.%%%.%%%'],
      ['a payload of null', () => signToken(null as never, jwtSecret)],
      ['a payload of a list', () => signToken([right()] as never, jwtSecret)],
    ];

    it(`refuses forged tokens by REST and by socket (${rows.length} forgeries)`, async () => {
      const before = await databases.snapshot('identity');
      const bodies = new Set<string>();
      for (const [name, make] of rows) {
        const token = make();
        const rest = await send(base, account, { token });
        expect(rest.status, name).to.equal(401);
        expect(rest.headers['www-authenticate'], name).to.equal('Bearer');
        bodies.add(rest.text);
        expect(await openedOrStatus(base, socketPath(), { authorization: `Bearer ${token}` }), name).to.equal(401);
      }
      expect([...bodies]).to.have.length(1);
      expect(await databases.snapshot('identity')).to.deep.equal(before);
    });

    it('refuses forged refresh tokens', async () => {
      const real = readToken(victim.refresh_token).claims;
      const forged: readonly [string, string][] = [
        ['alg none', signToken(real, null, { alg: 'none' })],
        ['another secret', signToken(real, 'changeme')],
        ['another user', signToken({ ...real, sub: test.adminId }, jwtSecret)],
        ['aud of access tokens', signToken({ ...real, aud: 'panel-api' }, jwtSecret)],
        ['expired', signToken({ ...real, exp: Math.floor(Date.now() / 1000) - 1 }, jwtSecret)],
      ];
      const bodies = new Set<string>();
      for (const [name, token] of forged) {
        const { status, text } = await send(base, '/api/v1/auth/refresh', { json: { refresh_token: token } });
        expect(status, name).to.equal(401);
        bodies.add(text);
      }
      expect([...bodies]).to.have.length(1);
      expect((await send(base, account, { token: victim.token })).status).to.equal(200);
    });

    it('ends the session when a used refresh token comes after the grace period', async () => {
      const person = await users.signUp();
      const refresh = async (token: string) => send(base, '/api/v1/auth/refresh', { json: { refresh_token: token } });
      const first = await refresh(person.refresh_token);
      expect(first.status).to.equal(200);
      const child = first.body.data as Tokens;
      expect((await refresh(person.refresh_token)).status, 'within the grace').to.equal(401);
      expect((await send(base, account, { token: child.access_token })).status, 'the child lives').to.equal(200);

      const sessions = databases.collection('identity', 'sessions');
      const id = String(readToken(person.token).claims['sid']);
      await sessions.updateOne({ _id: id }, { $set: { 'rotated.0.at': new Date(Date.now() - 11_000) } });
      expect((await refresh(person.refresh_token)).status, 'after the grace').to.equal(401);
      expect((await refresh(child.refresh_token)).status, 'the child').to.equal(401);
      expect((await send(base, account, { token: child.access_token })).status, 'its access token').to.equal(401);
      expect(await sessions.findOne({ _id: id })).to.equal(null);
    });

    it('ends the session when the session id is right but the refresh token was never issued', async () => {
      const person = await users.signUp();
      const real = readToken(person.refresh_token).claims;
      const token = signToken({ ...real, jti: randomBytes(32).toString('base64url') }, jwtSecret);
      expect((await send(base, '/api/v1/auth/refresh', { json: { refresh_token: token } })).status).to.equal(401);
      expect((await send(base, account, { token: person.token })).status).to.equal(401);
    });
  });

  describe('malformed credentials', () => {
    const rows: readonly [name: string, headers: () => Record<string, string | string[]>, wanted: number][] = [
      ['empty', () => ({ authorization: 'Bearer' }), 401],
      ['empty with a blank', () => ({ authorization: 'Bearer ' }), 401],
      ['two blanks', () => ({ authorization: `Bearer  ${victim.token}` }), 401],
      ['two words', () => ({ authorization: `Bearer ${victim.token} y` }), 401],
      ['another scheme', () => ({ authorization: 'Basic dTpw' }), 401],
      ['lower-case scheme', () => ({ authorization: `bearer ${victim.token}` }), 200],
      ['upper-case scheme', () => ({ authorization: `BEARER ${victim.token}` }), 200],
      ['no scheme', () => ({ authorization: victim.token }), 401],
      ['a scheme of look-alike letters', () => ({ authorization: `\u00dfearer ${victim.token}` }), 401],
      ['a comma between two', () => ({ authorization: `Bearer ${victim.token}, Bearer ${victim.token}` }), 401],
      ['only a cookie', () => ({ cookie: `token=${victim.token}; authorization=Bearer ${victim.token}` }), 401],
      ['only X-Access-Token', () => ({ 'x-access-token': victim.token, 'x-api-key': victim.token }), 401],
      ['only the sub-protocol of sockets', () => ({ 'sec-websocket-protocol': `bearer, ${victim.token}` }), 401],
      ['8 KiB', () => ({ authorization: `Bearer ${'a'.repeat(8192)}` }), 401],
    ];

    for (const [name, headers, wanted] of rows) {
      it(`answers ${wanted} for ${name}`, async () => {
        expect((await send(base, account, { headers: headers() })).status).to.equal(wanted);
      });
    }

    it('reads no credentials from query parameters', async () => {
      for (const name of ['token', 'access_token', 'authorization', 'api_key', 'key']) {
        expect((await send(base, `${account}?${name}=${victim.token}`)).status, name).to.equal(401);
        expect(await openedOrStatus(base, `${socketPath()}?${name}=${victim.token}`, {}), name).to.equal(401);
      }
    });

    it('opens no socket from a forbidden address or origin', async () => {
      const { key } = await users.createApiKey(victim.token, { allowed_ips: ['198.51.100.7'] });
      expect(await openedOrStatus(base, socketPath(), { authorization: `Bearer ${key}` })).to.equal(403);
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
        const headers = { 'sec-websocket-protocol': `bearer, ${victim.token}`, origin };
        expect(await openedOrStatus(base, socketPath(), headers), origin).to.equal(403);
      }
    });

    it('combines no credentials from two Authorization headers', async () => {
      const admin = `Bearer ${test.admin.token()}`;
      const own = `Bearer ${victim.token}`;
      const path = '/api/v1/admin/users';
      for (const pair of [
        [own, admin],
        ['Bearer x', admin],
      ]) {
        const text = await exchange(
          base,
          `GET ${path} HTTP/1.1\r\nHost: x\r\n${pair.map((value) => `Authorization: ${value}\r\n`).join('')}Connection: close\r\n\r\n`,
        );
        expect(text).to.match(/^HTTP\/1\.1 (400|401|403) /);
      }
    });

    it('fails only the request whose credentials hold NUL or line breaks', async () => {
      for (const bytes of ['\0', '\r\nX-Evil: 1', '\n']) {
        const text = await exchange(
          base,
          Buffer.from(
            `GET ${account} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a${bytes}b\r\nConnection: close\r\n\r\n`,
          ),
        );
        expect(text).to.match(/^HTTP\/1\.1 (400|401) /);
        expect(text).not.to.contain('X-Evil');
      }
    });
  });

  describe('tokens of another purpose', () => {
    let twoFactor: { person: TestUser; factor: SecondFactor };
    let kinds: Record<string, string>;

    beforeEach(async () => {
      const person = await users.signUp();
      twoFactor = { person, factor: await users.enableTwoFactor(person) };
      const forgetful = await users.create({ password: 'another long password' });
      const invited = await users.create();
      const actors = createActorSigner(test.stack.serviceSecret);
      const user = { kind: 'user', userId: victim.id, permissions: ['*'], method: 'session' } as const;
      const grant = { serverId, permission: 'file.read', volume: serverId, diskLimitBytes: 0, denylist: [] };
      kinds = {
        access: victim.token,
        refresh: (await users.signIn(victim)).refresh_token,
        challenge: await users.challenge(person.email),
        'reset link': await users.resetToken(test.stack, forgetful.email),
        'set-up link': await users.readMailedToken(test.stack, invited.email),
        'API key': (await users.createApiKey(victim.token)).key,
        'service actor': actors.sign(serviceActor('gateway')),
        'user actor': actors.sign({ ...user, credentialId: sessionId, ip: '127.0.0.1' }),
        'file grant': createGrantSigner(test.stack.serviceSecret).sign(grant),
      };
    });

    const status = async (answer: Promise<Answer>) => (await answer).status;
    const post = async (path: string, json: object) => status(send(base, `/api/v1${path}`, { json }));
    const grpcStatus = async (
      service: 'identity' | 'files',
      call: (token: string) => Promise<unknown>,
      token: string,
    ) =>
      call(token).then(
        () => 'OK',
        (error: unknown) => {
          if (isAppError(error)) return `${service}: ${error.kind}`;
          throw error;
        },
      );

    /** Places for tokens, and the result of foreign ones. */
    const places: Record<string, { belongs: readonly string[]; show: (token: string) => Promise<number> }> = {
      'Authorization of REST': {
        belongs: ['access', 'API key'],
        show: async (token) => status(send(base, account, { token })),
      },
      'Authorization of a socket': {
        belongs: ['access', 'API key'],
        show: async (token) => openedOrStatus(base, socketPath(), { authorization: `Bearer ${token}` }),
      },
      'sub-protocol of a socket': {
        belongs: ['access', 'API key'],
        show: async (token) => openedOrStatus(base, socketPath(), { 'sec-websocket-protocol': `bearer, ${token}` }),
      },
      refresh_token: { belongs: ['refresh'], show: async (token) => post('/auth/refresh', { refresh_token: token }) },
      'token of 2fa/verify': {
        belongs: ['challenge'],
        show: async (token) => post('/auth/2fa/verify', { token, recovery_code: twoFactor.factor.recoveryCodes[0] }),
      },
      'token of password/reset': {
        belongs: ['reset link', 'set-up link'],
        show: async (token) => post('/auth/password/reset', { token, password: 'yet another password' }),
      },
      'a cookie': {
        belongs: [],
        show: async (token) => status(send(base, account, { headers: { cookie: `token=${token}; session=${token}` } })),
      },
    };

    it('answers tokens of another purpose with the same 401 everywhere else', async () => {
      // The right place may use the token up, so it comes last.
      for (const isOwnTurn of [false, true]) {
        for (const [place, { belongs, show }] of Object.entries(places)) {
          for (const [kind, token] of Object.entries(kinds)) {
            if (belongs.includes(kind) !== isOwnTurn) continue;
            expect(await show(token), `${kind} as ${place}`).to.be.oneOf(isOwnTurn ? [200, 101] : [401]);
          }
        }
      }
    });

    it('refuses user tokens as actors and actors as file grants in the services', async () => {
      const signer = createActorSigner(test.stack.serviceSecret);
      const actor = serviceActor('test');
      const identity = connect({ address: test.stack.grpc.identity, signer, actor });
      const files = connect({ address: test.stack.grpc.files, signer, actor });
      try {
        const getAccount = async (actorToken: string) =>
          identity.client(AccountServiceService).getAccount({}, { actorToken });
        const listUsers = async (actorToken: string) =>
          identity.client(UserServiceService).listUsers(ListUsersRequest.create(), { actorToken });
        const list = async (grant: string) =>
          files.client(FileServiceService).listDirectory({ grant, directory: '/', page: undefined });
        const noActor = Object.keys(kinds).filter((kind) => !kind.endsWith('actor'));
        for (const kind of noActor) {
          const token = kinds[kind] ?? '';
          expect(await grpcStatus('identity', getAccount, token), kind).to.equal('identity: unauthenticated');
          expect(await grpcStatus('identity', listUsers, token), kind).to.equal('identity: unauthenticated');
        }
        for (const kind of Object.keys(kinds)) {
          if (kind === 'file grant') continue;
          expect(await grpcStatus('files', list, kinds[kind] ?? ''), kind).to.equal('files: unauthenticated');
        }
        expect(await grpcStatus('identity', getAccount, kinds['user actor'] ?? '')).to.equal('OK');
      } finally {
        identity.close();
        files.close();
      }
    });

    it('stores no token in the database', async () => {
      const stored = Object.values(await databases.snapshot('identity')).join('\n');
      for (const [kind, token] of Object.entries(kinds)) {
        expect(stored.includes(token), kind).to.equal(false);
        const jti = token.split('.').length === 3 ? readToken(token).claims['jti'] : undefined;
        if (typeof jti === 'string') expect(stored.includes(jti), `the id of ${kind}`).to.equal(false);
      }
      for (const code of twoFactor.factor.recoveryCodes) {
        const plain = code.replaceAll('-', '');
        expect(stored.includes(code) || stored.includes(plain), 'recovery code').to.equal(false);
        const unkeyed = createHash('sha256').update(plain).digest('hex');
        expect(stored.includes(unkeyed), 'a hash of a recovery code that anybody could compute').to.equal(false);
      }
      expect(stored.includes(twoFactor.factor.secret), 'TOTP secret').to.equal(false);
    });
  });
});
