import { expect } from 'chai';
import { digestOf, refusalIn, withoutSecrets } from '../src/docker/registry-login.js';

const credentials = { registry: 'ghcr.io', username: 'ada', password: 'pass-4711', identityToken: '' };
const token = { ...credentials, password: '', identityToken: 'token-4711' };

describe('answers of registries', () => {
  for (const message of [
    'Get "http://ghcr.io/v2/a/manifests/1": no basic auth credentials',
    'Head "https://ghcr.io/v2/a/manifests/1": unauthorized: authentication required',
    'Head "https://ghcr.io/v2/a/manifests/1": denied: denied',
    'denied: Your authorization token has expired. Reauthenticate and try again.',
    'Get "https://ghcr.io/token": unauthorized: incorrect username or password',
    'failed to resolve reference "a": failed to authorize: failed to fetch oauth token: unexpected status: 401 Unauthorized',
    'failed to resolve reference "a": pulling from host ghcr.io failed with status code [manifests 1]: 403 Forbidden',
    'error parsing HTTP 403 response body: no error details found',
  ]) {
    it(`recognises a refusal: ${message}`, () => {
      expect(refusalIn(message, 'ghcr.io', credentials)).to.equal('the registry ghcr.io refused the credentials');
      const words = 'the registry ghcr.io wants credentials: an administrator can add them';
      expect(refusalIn(message, 'ghcr.io', null)).to.equal(words);
    });
  }

  it('says that the image may be missing where registries hide that from strangers', () => {
    const message =
      "pull access denied for a/b, repository does not exist or may require 'docker login': denied: requested access to the resource is denied";
    expect(refusalIn(message, 'docker.io', null)).to.equal(
      'the registry docker.io wants credentials, or does not have this image: an administrator can add them',
    );
    expect(refusalIn(message, 'docker.io', credentials)).to.equal(
      'the registry docker.io refused the credentials, or does not have this image',
    );
  });

  for (const message of [
    'manifest for a/b:1 not found: manifest unknown',
    'Get "https://ghcr.io/v2/": dial tcp: lookup ghcr.io on 127.0.0.53:53: no such host',
    'toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating',
    'write /var/lib/docker/tmp/x: permission denied: read-only',
    'proxyconnect tcp: Proxy Authentication Required',
  ]) {
    it(`takes another failure for no refusal: ${message}`, () => {
      expect(refusalIn(message, 'ghcr.io', credentials)).to.equal(null);
    });
  }

  it('leaves no secret in words of a registry that repeats them', () => {
    const basic = Buffer.from('ada:pass-4711').toString('base64');
    expect(withoutSecrets(`no: pass-4711, Basic ${basic}`, credentials)).to.equal('no: [redacted], Basic [redacted]');
    expect(withoutSecrets('no: token-4711 of ada', token)).to.equal('no: [redacted] of ada');
    expect(withoutSecrets('no', null)).to.equal('no');
  });

  it('tells credentials apart without a secret', () => {
    const others = [token, { ...credentials, username: 'bob' }, { ...credentials, password: 'pass-4712' }, null];
    const digests = [credentials, ...others].map(digestOf);
    expect(new Set(digests).size).to.equal(digests.length);
    expect(digestOf({ ...credentials })).to.equal(digests[0]);
    expect(digests.join(' ')).not.to.match(/(?:pass|token)-471/);
  });
});
