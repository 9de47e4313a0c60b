import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accessTokenClaims, createTokenKey, verifyAccessToken, verifyToken } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import jwt from 'jsonwebtoken';

const secret = 'a-secret-of-more-than-32-characters!';
const key = createTokenKey(secret);

function payload(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    ...accessTokenClaims,
    sub: randomUUID(),
    sid: randomUUID(),
    jti: 'one',
    iat: now,
    exp: now + 900,
    ...changes,
  };
}

function forge(header: object, claims: object, signingSecret: string | null): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  if (signingSecret === null) return `${text}.`;
  return `${text}.${createHmac('sha256', signingSecret).update(text).digest('base64url')}`;
}

const hs256 = { alg: 'HS256', typ: 'JWT' };
const signed = (changes: Record<string, unknown>) => forge(hs256, payload(changes), secret);

describe('verifyAccessToken', () => {
  it('returns the claims of a valid token of any issuer with the key', () => {
    const claims = payload();
    const { sub, sid, jti, iat, exp } = claims;
    expect(verifyAccessToken(key, forge(hs256, claims, secret))).to.deep.equal({ sub, sid, jti, iat, exp });
    expect(verifyAccessToken(key, jwt.sign(claims, key, { algorithm: 'HS256' })).sub).to.equal(sub);
  });

  const edited = (): string => {
    const [head, , signature] = signed({}).split('.');
    return [head, Buffer.from(JSON.stringify(payload({ role: 'admin' }))).toString('base64url'), signature].join('.');
  };
  const attacks: Record<string, () => string> = {
    'an empty string': () => '',
    'two words': () => 'not a token',
    'a giant': () => `${signed({})}${'A'.repeat(3000)}`,
    'no algorithm': () => forge({ alg: 'none' }, payload(), null),
    'no algorithm, spelt NoNe': () => forge({ alg: 'NoNe' }, payload(), null),
    'no algorithm, but a signature': () => forge({ alg: 'none' }, payload(), secret),
    'an empty signature': () => forge(hs256, payload(), null),
    'another algorithm of the same family': () => jwt.sign(payload(), key, { algorithm: 'HS512' }),
    'another secret': () => forge(hs256, payload(), 'another-secret-of-more-than-32-chars'),
    'a key in the header': () => forge({ ...hs256, jwk: { kty: 'oct', k: 'AAAA' } }, payload(), 'AAAA'),
    'a critical header nobody understands': () => forge({ ...hs256, crit: ['b64'], b64: false }, payload(), secret),
    'a key named by the header': () => forge({ ...hs256, kid: '../../dev/null' }, payload(), secret),
    'no type in the header': () => forge({ alg: 'HS256' }, payload(), secret),
    'an edited payload': edited,
    'an expiry in the past': () => signed({ exp: Math.floor(Date.now() / 1000) - 1 }),
    'an issue time in the future': () => {
      const iat = Math.floor(Date.now() / 1000) + 120;
      return signed({ iat, exp: iat + 60 });
    },
    'a lifetime of more than a day': () => signed({ exp: Math.floor(Date.now() / 1000) + 86_401 + 10 }),
    'no expiry': () => signed({ exp: undefined }),
    'another issuer': () => signed({ iss: 'somebody' }),
    'the audience of refresh tokens': () => signed({ aud: 'panel-refresh' }),
    'the audience of challenges': () => signed({ aud: 'panel-2fa' }),
    'the audience of service tokens': () => signed({ aud: 'panel-internal' }),
    'a list of audiences': () => signed({ aud: ['panel-api', 'panel-refresh'] }),
    'the type of refresh tokens': () => signed({ typ: 'refresh' }),
    'no type': () => signed({ typ: undefined }),
    'a subject that is no id': () => signed({ sub: { $ne: '' } }),
    'no session': () => signed({ sid: undefined }),
    'a start in the future': () => signed({ nbf: Math.floor(Date.now() / 1000) + 60 }),
  };
  for (const [name, token] of Object.entries(attacks)) {
    it(`refuses ${name}`, () => {
      expect(() => verifyAccessToken(key, token()))
        .to.throw()
        .that.satisfies(isInvalidToken);
    });
  }

  it('separates the three token types', () => {
    const audiences = { access: 'panel-api', refresh: 'panel-refresh', challenge: 'panel-2fa' } as const;
    for (const typ of ['access', 'refresh', 'challenge'] as const) {
      const token = signed({ typ, aud: audiences[typ] });
      for (const wanted of ['access', 'refresh', 'challenge'] as const) {
        if (typ === wanted) expect(verifyToken(key, wanted, token).jti).to.equal('one');
        else
          expect(() => verifyToken(key, wanted, token))
            .to.throw()
            .that.satisfies(isInvalidToken);
      }
    }
  });
});

function isInvalidToken(error: unknown): boolean {
  return isAppError(error, 'INVALID_TOKEN') && error.kind === 'unauthenticated';
}
