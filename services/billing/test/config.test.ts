import { ConfigError } from '@panel/kit/process';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const complete = {
  SERVICE_SECRET: 'test-only-secret-of-at-least-32-characters',
  MONGO_URL: 'mongodb://127.0.0.1:27017/billing',
  SERVERS_ADDRESS: '127.0.0.1:7102',
  IDENTITY_ADDRESS: '127.0.0.1:7101',
  ADMIN_ADDRESS: '127.0.0.1:7105',
};

describe('the configuration of billing', () => {
  it('completes the configuration from a secret, a database and the services it calls', () => {
    expect(readConfig(complete)).to.include({ mongoUrl: complete.MONGO_URL, serversAddress: '127.0.0.1:7102' });
  });

  for (const name of Object.keys(complete)) {
    it(`names ${name} in one line when it is missing`, () => {
      expect(() => readConfig({ ...complete, [name]: undefined }))
        .to.throw(ConfigError)
        .with.property('message')
        .that.matches(new RegExp(`^${name} is not set: .+$`));
    });
  }

  it('refuses live payment keys beside a test clock', () => {
    const stripe = (key: string) => ({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'whsec_1' });
    const paypal = { PAYPAL_CLIENT_ID: 'a', PAYPAL_CLIENT_SECRET: 'b', PAYPAL_WEBHOOK_ID: 'c' };
    const sandbox = { ...paypal, PAYPAL_API_BASE: 'https://api-m.sandbox.paypal.com' };
    const read = (more: object, TEST_CLOCK = 'true') => readConfig({ ...complete, TEST_CLOCK, ...more });
    for (const live of ['sk_live_1', 'rk_live_1']) {
      expect(() => read(stripe(live))).to.throw(ConfigError, 'STRIPE_SECRET_KEY');
      expect(read(stripe(live), 'false').testClock).to.equal(false);
    }
    expect(() => read(paypal)).to.throw(ConfigError, 'PAYPAL_API_BASE');
    expect(read({ ...stripe('sk_test_1'), ...sandbox }).testClock).to.equal(true);
  });

  it('offers no payment provider without keys', () => {
    expect(readConfig(complete).payments).to.deep.equal({ stripe: null, paypal: null, mollie: null });
  });

  it('offers a provider whose keys are complete', () => {
    const { payments } = readConfig({
      ...complete,
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_BASE: 'http://127.0.0.1:12111',
    });
    expect(payments.stripe).to.include({ secretKey: 'sk_test_1', apiBase: 'http://127.0.0.1:12111' });
    expect(payments.paypal).to.equal(null);
  });

  it('offers Mollie with its key alone, and takes signed events with their secret', () => {
    const key = { ...complete, MOLLIE_API_KEY: 'test_0123456789abcdef' };
    expect(readConfig(key).payments.mollie).to.include({ webhookSecret: null, apiBase: 'https://api.mollie.com' });
    const { mollie } = readConfig({ ...key, MOLLIE_WEBHOOK_SECRET: 'secret' }).payments;
    expect(mollie).to.include({ apiKey: key.MOLLIE_API_KEY, webhookSecret: 'secret' });
  });

  it('refuses a key that is none of Mollie, without showing it, and a secret without a key', () => {
    expect(() => readConfig({ ...complete, MOLLIE_API_KEY: 'access_0123456789' }))
      .to.throw(ConfigError)
      .with.property('message')
      .that.matches(/^MOLLIE_API_KEY is not valid: must look like live_… or test_…$/);
    expect(() => readConfig({ ...complete, MOLLIE_WEBHOOK_SECRET: 'secret' }))
      .to.throw(ConfigError)
      .with.property('message', 'MOLLIE_WEBHOOK_SECRET is of no use without MOLLIE_API_KEY');
  });

  it('refuses a provider with some of its keys, naming them and showing none', () => {
    const incomplete = { ...complete, PAYPAL_CLIENT_ID: 'id', PAYPAL_CLIENT_SECRET: 'very-secret' };
    expect(() => readConfig(incomplete))
      .to.throw(ConfigError)
      .with.property(
        'message',
        'PAYPAL_CLIENT_ID and PAYPAL_CLIENT_SECRET and PAYPAL_WEBHOOK_ID go together: set all of them, or none',
      );
  });
});
