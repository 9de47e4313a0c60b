import { expect } from 'chai';
import { checkRegistry, type GivenRegistry } from '../../src/domain/registries/check-registry.js';
import type { Registry } from '../../src/domain/registries/registry.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const at = new Date(0);
const stored: Registry = {
  id: 'r',
  host: 'ghcr.io',
  eggId: null,
  username: 'ada',
  secretKind: 'password',
  revision: 0,
  createdAt: at,
  updatedAt: at,
};
const withToken: Registry = { ...stored, username: '', secretKind: 'identity_token' };

/** By field; empty: accepted. */
function problems(given: GivenRegistry, before: Registry | null = null): Record<string, readonly string[]> {
  try {
    checkRegistry(given, before);
    return {};
  } catch (error) {
    return (error as { metadata: { reasons: Record<string, readonly string[]> } }).metadata.reasons;
  }
}

describe('credentials of a registry', () => {
  const password = { username: 'ada', password: 'pass:word' };

  for (const [given, host] of [
    ['ghcr.io', 'ghcr.io'],
    [' GHCR.io ', 'ghcr.io'],
    ['registry.example.com:5000', 'registry.example.com:5000'],
    ['localhost', 'localhost'],
    ['127.0.0.1:5000', '127.0.0.1:5000'],
    ['[::1]:5000', '[::1]:5000'],
    ['docker.io', 'docker.io'],
    ['index.docker.io', 'docker.io'],
    ['https://index.docker.io/v1/', 'docker.io'],
  ] as const) {
    it(`accepts the host ${given}`, () => {
      expect(checkRegistry({ host: given, ...password }, null).host).to.equal(host);
    });
  }

  for (const [host, words] of [
    ['', 'is required'],
    ['https://ghcr.io', 'must have no scheme: ghcr.io instead of https://ghcr.io'],
    ['ghcr.io/owner', 'must have no path: ghcr.io instead of ghcr.io/owner'],
    ['registry', 'must be a host that image references can name'],
    ['ghcr.io:0', 'must be a host that image references can name'],
    ['ghcr.io:99999', 'must be a host that image references can name'],
    ['ghcr.io:', 'must be a host that image references can name'],
    ['a b.example.com', 'must be a host that image references can name'],
    ['user@ghcr.io', 'must be a host that image references can name'],
    [`${'a'.repeat(300)}.io`, 'must be a host that image references can name'],
  ] as const) {
    it(`refuses the host ${host.slice(0, 40)}: ${words}`, () => {
      const check = () => checkRegistry({ host, ...password }, null);
      expect(check).to.throw().with.nested.property('metadata.fields.host[0]').that.includes(words);
    });
  }

  for (const [form, given, login] of [
    ['username and password', password, { username: 'ada', secret: { kind: 'password', text: 'pass:word' } }],
    [
      'a password of several lines',
      { username: '_json_key', password: '{\n}\n' },
      { username: '_json_key', secret: { kind: 'password', text: '{\n}\n' } },
    ],
    [
      'auth',
      { auth: `${base64('ada:pass:wörd')}\n` },
      { username: 'ada', secret: { kind: 'password', text: 'pass:wörd' } },
    ],
    [
      'an identity token',
      { identityToken: 'ey.J' },
      { username: '', secret: { kind: 'identity_token', text: 'ey.J' } },
    ],
    [
      'an identity token with a username',
      { username: 'ada', identityToken: 'ey.J' },
      { username: 'ada', secret: { kind: 'identity_token', text: 'ey.J' } },
    ],
    [
      'an identity token with the auth that docker writes beside it',
      { auth: base64('ada:'), identityToken: 'ey.J' },
      { username: 'ada', secret: { kind: 'identity_token', text: 'ey.J' } },
    ],
  ] as const) {
    it(`reads ${form}`, () => {
      expect(checkRegistry({ host: 'ghcr.io', ...given }, null)).to.deep.equal({
        host: 'ghcr.io',
        eggId: null,
        ...login,
      });
    });
  }

  for (const [what, given, reasons] of [
    ['a registry without credentials', {}, { password: ['required'] }],
    ['a username alone', { username: 'ada' }, { password: ['required'] }],
    ['a password alone', { password: 'x' }, { username: ['required'] }],
    ['an empty username', { username: '', password: 'x' }, { username: ['required'] }],
    ['an empty password', { username: 'ada', password: '' }, { password: ['required'] }],
    ['an empty identity token', { identityToken: '' }, { identity_token: ['required'] }],
    ['an identity token of two lines', { identityToken: 'a\nb' }, { identity_token: ['invalid'] }],
    ['a username with a colon', { username: 'a:b', password: 'x' }, { username: ['invalid'] }],
    ['a username of two lines', { username: 'a\nb', password: 'x' }, { username: ['invalid'] }],
    ['a NUL', { username: 'ada', password: 'a\0b' }, { password: ['invalid'] }],
    ['a secret that is too long', { username: 'ada', password: 'x'.repeat(16_385) }, { password: ['too_long'] }],
    ['auth that is no base64', { auth: 'ada:pass' }, { auth: ['invalid'] }],
    ['auth of no colon', { auth: base64('ada') }, { auth: ['invalid'] }],
    ['auth without a username', { auth: base64(':pass') }, { auth: ['invalid'] }],
    ['auth without a password', { auth: base64('ada:') }, { auth: ['invalid'] }],
    ['auth of other bytes than text', { auth: Buffer.from([97, 58, 255]).toString('base64') }, { auth: ['invalid'] }],
    ['auth and password', { auth: base64('a:b'), password: 'b' }, { auth: ['conflicting'] }],
    ['auth and username', { auth: base64('a:b'), username: 'a' }, { auth: ['conflicting'] }],
    [
      'an identity token and a password',
      { username: 'ada', password: 'x', identityToken: 'y' },
      { identity_token: ['conflicting'] },
    ],
    [
      'an identity token and an auth with a password',
      { auth: base64('a:b'), identityToken: 'y' },
      { identity_token: ['conflicting'] },
    ],
    [
      'all forms',
      { username: 'ada', password: 'x', auth: base64('a:b'), identityToken: 'y' },
      { auth: ['conflicting'], identity_token: ['conflicting'] },
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      const found = problems({ host: 'ghcr.io', ...given });
      expect(Object.keys(found)).to.deep.equal(Object.keys(reasons));
      for (const [field, [first]] of Object.entries(reasons)) expect(found[field]?.[0], field).to.equal(first);
    });
  }

  it('names a wrong host and wrong credentials together', () => {
    expect(Object.keys(problems({ host: 'x', auth: 'y' })).sort()).to.deep.equal(['auth', 'host']);
  });

  it('keeps what an update does not name', () => {
    const retained = { host: 'ghcr.io', eggId: null, username: 'ada', secret: null };
    expect(checkRegistry({}, stored)).to.deep.equal(retained);
    expect(checkRegistry({ eggId: 'e' }, stored)).to.deep.equal({ ...retained, eggId: 'e' });
    expect(checkRegistry({ eggId: null }, { ...stored, eggId: 'e' })).to.deep.equal(retained);
    expect(checkRegistry({ username: 'bob' }, stored)).to.deep.equal({ ...retained, username: 'bob' });
    const changed = { ...retained, secret: { kind: 'password', text: 'new' } };
    expect(checkRegistry({ password: 'new' }, stored)).to.deep.equal(changed);
  });

  it('changes from one form to another', () => {
    const toToken = checkRegistry({ identityToken: 'y' }, stored);
    expect(toToken).to.deep.include({ username: '', secret: { kind: 'identity_token', text: 'y' } });
    expect(problems({ password: 'x' }, withToken)).to.deep.equal({ username: ['required'] });
    const toPassword = checkRegistry({ username: 'ada', password: 'x' }, withToken);
    expect(toPassword).to.deep.include({ username: 'ada', secret: { kind: 'password', text: 'x' } });
    expect(checkRegistry({ identityToken: 'z' }, { ...withToken, username: 'ada' }).username).to.equal('ada');
    expect(problems({ username: '' }, stored)).to.deep.equal({ username: ['required'] });
    expect(problems({ username: '' }, withToken)).to.deep.equal({});
  });

  it('takes another host with its credentials only', () => {
    expect(problems({ host: 'evil.example.com' }, stored)).to.deep.equal({ host: ['invalid'] });
    expect(problems({ host: 'evil.example.com', username: 'bob' }, stored)).to.deep.equal({ host: ['invalid'] });
    expect(problems({ host: 'GHCR.IO' }, stored)).to.deep.equal({});
    expect(problems({ host: 'quay.io', password: 'x' }, stored)).to.deep.equal({});
  });
});
