import { ConfigError } from '@panel/kit/process';
import { expect } from 'chai';
import { readConfig } from '../src/config.js';

const complete = {
  SERVICE_SECRET: 'test-only-secret-of-at-least-32-characters',
  MONGO_URL: 'mongodb://127.0.0.1:27017/files',
  DATA_ROOT: '/var/lib/panel',
};
const root = { uid: 0, gid: 0 };
const person = { uid: 1000, gid: 1000 };

describe('configuration of files', () => {
  it('assigns volumes to the game user when it runs as root', () => {
    expect(readConfig(complete, root).owner).to.deep.equal({ uid: 988, gid: 988 });
    expect(readConfig({ ...complete, GAME_UID: '5000', GAME_GID: '6000' }, root).owner).to.deep.equal({
      uid: 5000,
      gid: 6000,
    });
  });

  it('assigns volumes to its own user otherwise', () => {
    expect(readConfig({ ...complete, GAME_UID: '0' }, person).owner).to.deep.equal(person);
  });

  for (const name of ['GAME_UID', 'GAME_GID']) {
    it(`refuses ${name}=0 under root in one line`, () => {
      expect(() => readConfig({ ...complete, [name]: '0' }, root))
        .to.throw(ConfigError)
        .with.property('message', 'GAME_UID and GAME_GID must not be 0: games never run as root');
    });
  }

  for (const [name, value, problem] of [
    ['SERVICE_SECRET', undefined, /^SERVICE_SECRET is not set: .+$/],
    ['MONGO_URL', undefined, /^MONGO_URL is not set: .+$/],
    ['DATA_ROOT', undefined, /^DATA_ROOT is not set: .+$/],
    ['DATA_ROOT', 'relative/path', /^DATA_ROOT is not valid: must be an absolute path$/],
    ['GAME_UID', '-1', /^GAME_UID is not valid: .+$/],
  ] as const) {
    it(`names ${name} in one line when it is ${value ?? 'missing'}`, () => {
      expect(() => readConfig({ ...complete, [name]: value }, person))
        .to.throw(ConfigError)
        .with.property('message')
        .that.matches(problem);
    });
  }
});
