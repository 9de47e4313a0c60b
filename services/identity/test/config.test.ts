import { ConfigError } from '@panel/kit/process';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const good = {
  MONGO_URL: 'mongodb://127.0.0.1:27017/identity',
  SERVICE_SECRET: 'service-secret-of-at-least-32-characters',
  JWT_SECRET: 'jwt-secret-that-has-at-least-32-characters',
};

describe('identity configuration', () => {
  it('defaults to the lifetimes and the prefix of the specification', () => {
    const config = readConfig(good);
    expect(config).to.include({ accessTtlMs: 900_000, refreshTtlMs: 604_800_000, keyPrefix: 'gsp', redisUrl: null });
  });

  const refused: Record<string, [string, string | undefined]> = {
    'no JWT secret': ['JWT_SECRET', undefined],
    'an empty JWT secret': ['JWT_SECRET', ''],
    'a JWT secret of 31 characters': ['JWT_SECRET', 'abcdefghijklmnopqrstuvwxyz01234'],
    'a JWT secret of one repeated pattern': ['JWT_SECRET', 'changeme'.repeat(8)],
    'an access lifetime without a unit': ['JWT_ACCESS_EXPIRY', '900'],
    'an access lifetime of nothing': ['JWT_ACCESS_EXPIRY', '0s'],
    'an access token that outlives its session': ['JWT_ACCESS_EXPIRY', '8d'],
    'a key prefix in capitals': ['KEY_PREFIX', 'GSP'],
    'a key prefix with an underscore': ['KEY_PREFIX', 'a_b'],
    'a Redis that is none': ['REDIS_URL', 'http://127.0.0.1'],
  };
  for (const [name, [variable, value]] of Object.entries(refused)) {
    it(`refuses ${name} and names the variable`, () => {
      expect(() => readConfig({ ...good, [variable]: value })).to.throw(ConfigError, variable);
    });
  }
});
