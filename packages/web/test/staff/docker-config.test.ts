import { expect } from 'chai';
import { readDockerConfig } from '../../src/staff/registries/docker-config.js';

const auth = (pair: string) => ({ auth: Buffer.from(pair, 'utf8').toString('base64') });
const read = (config: object) => readDockerConfig(JSON.stringify(config));

describe("a pasted config.json of docker's", () => {
  it('gives user and password, also with colons and letters beyond ASCII', () => {
    const logins = [{ host: 'ghcr.io', username: 'jürgen', password: 'a:b ß' }];
    expect(read({ auths: { 'ghcr.io': auth('jürgen:a:b ß') } })).to.deep.equal({ logins });
  });

  it('gives the hosts as images name them', () => {
    const auths = {
      'https://index.docker.io/v1/': auth('a:1'),
      'https://registry.example.com:5000': auth('b:2'),
      'quay.io': auth('c:3'),
    };
    const found = read({ auths });
    expect('logins' in found ? found.logins.map(({ host }) => host) : found).to.deep.equal([
      'docker.io',
      'registry.example.com:5000',
      'quay.io',
    ]);
  });

  it('gives an identity token instead of the auth beside it', () => {
    const auths = { 'example.azurecr.io': { ...auth('00000000-0000-0000-0000-000000000000:'), identitytoken: 'ey.J' } };
    expect(read({ auths })).to.deep.equal({ logins: [{ host: 'example.azurecr.io', identityToken: 'ey.J' }] });
  });

  it('gives user and password that stand beside each other, as in a secret of Kubernetes', () => {
    const auths = { 'quay.io': { username: 'robot', password: 'secret', auth: '' } };
    expect(read({ auths })).to.deep.equal({ logins: [{ host: 'quay.io', username: 'robot', password: 'secret' }] });
  });

  it('leaves out hosts whose password is not in it', () => {
    const auths = { 'ghcr.io': {}, 'quay.io': auth('robot:secret') };
    const logins = [{ host: 'quay.io', username: 'robot', password: 'secret' }];
    expect(read({ auths, credsStore: 'desktop' })).to.deep.equal({ logins });
  });

  it('says that a program keeps the passwords', () => {
    const elsewhere = { problem: 'elsewhere' };
    expect(read({ auths: { 'ghcr.io': {} }, credsStore: 'desktop' })).to.deep.equal(elsewhere);
    expect(read({ credHelpers: { 'gcr.io': 'gcloud' } })).to.deep.equal(elsewhere);
  });

  it('says that no login is in it, and that other text is none', () => {
    expect(read({ auths: {} })).to.deep.equal({ problem: 'none' });
    expect(read({ auths: { 'ghcr.io': { auth: 'no base64!' } } })).to.deep.equal({ problem: 'none' });
    expect(read({ auths: { 'ghcr.io': auth('without a password') } })).to.deep.equal({ problem: 'none' });
    for (const text of ['{"auths":', '[]', 'null', '"ghcr.io"', '{"auths":[]}'])
      expect(readDockerConfig(text), text).to.deep.equal({ problem: 'wrong' });
  });
});
