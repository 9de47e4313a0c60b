import { ConfigError } from '@panel/kit';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const complete = {
  SERVICE_SECRET: 'test-only-secret-of-at-least-32-characters',
  MONGO_URL: 'mongodb://127.0.0.1:27017/admin',
};

describe('the configuration of admin', () => {
  it('is complete with a secret and a database', () => {
    expect(readConfig(complete)).to.include({ mongoUrl: complete.MONGO_URL });
  });

  for (const name of Object.keys(complete)) {
    it(`names ${name} in one line when it is missing`, () => {
      expect(() => readConfig({ ...complete, [name]: undefined }))
        .to.throw(ConfigError)
        .with.property('message')
        .that.matches(new RegExp(`^${name} is not set: .+$`));
    });
  }
});
