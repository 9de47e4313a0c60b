import { ConfigError } from '@panel/kit/process';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const complete = {
  SERVICE_SECRET: 'test-only-secret-of-at-least-32-characters',
  MONGO_URL: 'mongodb://127.0.0.1:27017/admin',
};

describe('the configuration of admin', () => {
  it('requires a secret and a database only', () => {
    expect(readConfig(complete)).to.include({ mongoUrl: complete.MONGO_URL });
  });

  it('accepts an http address of the panel only', () => {
    expect(readConfig({ ...complete, PANEL_URL: 'https://games.example/' })).to.include({
      panelUrl: 'https://games.example',
    });
    expect(() => readConfig({ ...complete, PANEL_URL: 'games.example' })).to.throw(ConfigError, 'PANEL_URL');
  });

  for (const name of Object.keys(complete)) {
    it(`names a missing ${name} in one line`, () => {
      expect(() => readConfig({ ...complete, [name]: undefined }))
        .to.throw(ConfigError)
        .with.property('message')
        .that.matches(new RegExp(`^${name} is not set: .+$`));
    });
  }
});
