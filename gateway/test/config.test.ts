import { ConfigError } from '@panel/kit/process';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const good = {
  JWT_SECRET: 'a-jwt-secret-of-enough-length-0123456',
  SERVICE_SECRET: 'a-service-secret-of-enough-length-012',
  IDENTITY_ADDRESS: '127.0.0.1:7101',
  SERVERS_ADDRESS: '127.0.0.1:7102',
  BILLING_ADDRESS: '127.0.0.1:7103',
  ADMIN_ADDRESS: '127.0.0.1:7104',
};

describe('gateway configuration', () => {
  const validateRoutes = (env: Record<string, string | undefined>) => {
    try {
      readConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    return [];
  };

  it('defaults to the limits of the specification', () => {
    const config = readConfig(good);
    expect(config.rateLimits).to.deep.equal({ general: 60, auth: 10, upload: 10, backup: 5 });
    expect([config.host, config.port, config.redisUrl, config.keyPrefix]).to.deep.equal([
      '127.0.0.1',
      8080,
      null,
      'gsp',
    ]);
    expect(readConfig({ ...good, RATE_LIMIT_UPLOAD: '7' }).rateLimits.upload).to.equal(7);
  });

  it('names every missing variable at once', () => {
    const problems = validateRoutes({});
    for (const name of Object.keys(good))
      expect(
        problems.some((problem) => problem.startsWith(`${name} `)),
        name,
      ).to.equal(true);
  });

  for (const [name, value] of [
    ['JWT_SECRET', 'x'.repeat(31)],
    ['JWT_SECRET', 'changeme'.repeat(1)],
    ['JWT_SECRET', 'x'.repeat(64)],
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['REDIS_URL', 'localhost:6379'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,somewhere'],
    ['CORS_ORIGINS', 'https://panel.example.com/path'],
    ['CORS_ORIGINS', '*'],
    ['RATE_LIMIT_AUTH', '0'],
    ['KEY_PREFIX', 'with_underscore'],
    ['IDENTITY_ADDRESS', 'identity'],
  ] as const) {
    it(`refuses ${name}=${value.slice(0, 20)}`, () => {
      expect(validateRoutes({ ...good, [name]: value })).to.have.length(1);
    });
  }
});
