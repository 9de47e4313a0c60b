import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import type { Registry } from '../../src/domain/registries/registry.js';
import { pullCredentials } from '../../src/games/pull-credentials.js';

const registry: Registry = {
  id: 'r',
  host: 'ghcr.io',
  eggId: null,
  username: 'ada',
  secretKind: 'password',
  revision: 0,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

describe('credentials for a pull', () => {
  const of = async (
    image: string,
    found: { registry: Registry; secret: string | null } | null,
    kind: 'docker' | 'process' = 'docker',
  ) => {
    const asked: string[] = [];
    const logged: string[] = [];
    const stream = { write: (line: string) => void logged.push(line) };
    const log = createLogger({ service: 'test', level: 'info', stream });
    const openFor = async (...of: string[]) => {
      asked.push(of.join(' '));
      return found;
    };
    const made = await pullCredentials({ registries: { openFor }, log }, { kind }, { id: 's', eggId: 'e' }, image);
    return { asked, logged, ...made };
  };

  it('finds them by the registry of the image and the egg of the server', async () => {
    const { asked, credentials } = await of('GHCR.io/owner/game:1', { registry, secret: 'pass' });
    expect(asked).to.deep.equal(['ghcr.io e']);
    const login = { registry: 'ghcr.io', username: 'ada', password: 'pass', identityToken: '' };
    expect(credentials).to.deep.equal(login);
    expect((await of('game', null)).asked).to.deep.equal(['docker.io e']);
  });

  it('gives an identity token as one', async () => {
    const ofToken = { ...registry, secretKind: 'identity_token' as const, username: '' };
    const { credentials } = await of('ghcr.io/owner/game', { registry: ofToken, secret: 'token' });
    expect(credentials).to.deep.equal({ registry: 'ghcr.io', username: '', password: '', identityToken: 'token' });
  });

  it('opens none where nothing is pulled', async () => {
    expect((await of('~ghcr.io/owner/game', { registry, secret: 'pass' })).asked).to.deep.equal([]);
    expect((await of('ghcr.io/owner/game', { registry, secret: 'pass' }, 'process')).asked).to.deep.equal([]);
    expect((await of('no image', { registry, secret: 'pass' })).asked).to.deep.equal([]);
  });

  it('goes on without those that no key opens, and logs why', async () => {
    const { credentials, logged } = await of('ghcr.io/owner/game', { registry, secret: null });
    expect(credentials).to.equal(undefined);
    expect(logged.join('')).to.include('ENCRYPTION_KEYS').and.include('"registryId":"r"');
  });
});
