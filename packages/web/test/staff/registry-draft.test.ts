import type { Registry } from '@panel/client';
import { expect } from 'chai';
import { bodyOf, draftOf, needsSecret, withLogin } from '../../src/staff/registries/registry-draft.js';

const registry: Registry = {
  id: 'b7a1f6b0-0000-4000-8000-000000000001',
  host: 'ghcr.io',
  egg_id: null,
  kind: 'password',
  username: 'robot',
  created_at: '2026-11-28T00:00:00.000Z',
  updated_at: '2026-11-28T00:00:00.000Z',
};

describe('a registry while it is typed', () => {
  it('keeps the stored secret when none is typed', () => {
    expect(bodyOf(draftOf(registry))).to.deep.equal({ host: 'ghcr.io', egg_id: null, username: 'robot' });
    const token = draftOf({ ...registry, kind: 'identity_token', username: '', egg_id: 'egg' });
    expect(token.kind).to.equal('identity_token');
    expect(bodyOf(token)).to.deep.equal({ host: 'ghcr.io', egg_id: 'egg' });
  });

  it('keeps the token of a registry that has a username', () => {
    const draft = draftOf({ ...registry, kind: 'identity_token' });
    expect(needsSecret(draft, { ...registry, kind: 'identity_token' })).to.equal(false);
    expect(bodyOf(draft)).to.deep.equal({ host: 'ghcr.io', egg_id: null });
  });

  it('needs a secret when it is new, and for another host or kind of login', () => {
    const draft = draftOf(registry);
    expect(needsSecret(draft, registry)).to.equal(false);
    expect(needsSecret(draftOf(null), null)).to.equal(true);
    expect(needsSecret({ ...draft, host: 'quay.io' }, registry)).to.equal(true);
    expect(needsSecret({ ...draft, kind: 'identity_token' }, registry)).to.equal(true);
  });

  it('sends user and password or a token, never both', () => {
    const draft = { ...draftOf(registry), password: ' secret ', token: 'ey.J' };
    const place = { host: 'ghcr.io', egg_id: null };
    expect(bodyOf(draft)).to.deep.equal({ ...place, username: 'robot', password: ' secret ' });
    expect(bodyOf({ ...draft, kind: 'identity_token' })).to.deep.equal({ ...place, identity_token: 'ey.J' });
  });

  it('takes over a login of docker and keeps the egg', () => {
    const draft = { ...draftOf(null), eggId: 'egg', token: 'typed before' };
    expect(withLogin(draft, { host: 'quay.io', username: 'robot', password: 'secret' })).to.deep.equal({
      host: 'quay.io',
      eggId: 'egg',
      kind: 'password',
      username: 'robot',
      password: 'secret',
      token: '',
    });
    expect(withLogin(draft, { host: 'quay.io', identityToken: 'ey.J' })).to.include({
      kind: 'identity_token',
      token: 'ey.J',
    });
  });
});
