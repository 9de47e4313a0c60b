import { expect } from 'chai';
import { Settings } from '@panel/protos/admin';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send, type TestRequest } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

const credentials = { email: 'a@example.com', password: 'right' };
const publicOrigin = 'https://panel.example.com';

/** Fetch headers of the panel's pages; undefined omits a header. */
function asPage(origin: string, change: Record<string, string | undefined> = {}): Record<string, string> {
  const headers = {
    origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-panel-console': '1',
    ...change,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

describe('browser sign-in at the gateway', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  const post = async (path: string, request: TestRequest) =>
    send(gateway.url, `/api/v1/browser/${path}`, { method: 'POST', ...request });

  before(async () => fixture.start());
  after(async () => fixture.stop());
  beforeEach(() => {
    fixture.calls.length = 0;
  });

  describe('on loopback without TLS', () => {
    before(async () => {
      gateway = await gatewayFor(fixture);
    });
    after(async () => gateway.running.stop());

    it('sets the cookie panel without Secure and answers the access token only', async () => {
      const answer = await post('login', { json: credentials, headers: asPage(gateway.url) });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.data).to.deep.equal({ access_token: 'a', token_type: 'Bearer', expires_in: 900 });
      expect(answer.headers['set-cookie']).to.deep.equal(['panel=r; Path=/; HttpOnly; SameSite=Strict; Max-Age=60']);
    });

    it('accepts localhost as the name of the machine', async () => {
      const host = `localhost:${new URL(gateway.url).port}`;
      const headers = asPage(`http://${host}`, { host });
      expect((await post('login', { json: credentials, headers })).status).to.equal(200);
    });

    it('refuses a name that only resolves to loopback', async () => {
      const host = `rebound.example.com:${new URL(gateway.url).port}`;
      const { status, body } = await post('login', { json: credentials, headers: asPage(`http://${host}`, { host }) });
      expect(status).to.equal(403);
      expect(body.error?.details['reason']).to.equal('tls_required');
    });
  });

  describe('behind TLS', () => {
    before(async () => {
      fixture.settings = Settings.create({ general: { name: 'Panel', url: `${publicOrigin}/` } });
      gateway = await gatewayFor(fixture, { corsOrigins: ['https://other.example.net'] });
    });
    after(async () => gateway.running.stop());

    it('sets the cookie __Host-panel with Secure', async () => {
      const answer = await post('login', { json: credentials, headers: asPage(publicOrigin) });
      expect(answer.headers['set-cookie']).to.deep.equal([
        '__Host-panel=r; Secure; Path=/; HttpOnly; SameSite=Strict; Max-Age=60',
      ]);
      expect(answer.text).not.to.contain('refresh_token');
    });

    it('answers a challenge without a cookie, and sets it after the second factor', async () => {
      const headers = asPage(publicOrigin);
      const first = await post('login', { json: { ...credentials, email: '2fa@example.com' }, headers });
      expect(first.body.data).to.deep.equal({ requires_2fa: true, token: 'challenge-token' });
      expect(first.headers['set-cookie']).to.equal(undefined);
      const second = await post('2fa', { json: { token: 'challenge-token', code: '123456' }, headers });
      expect(second.status, second.text).to.equal(200);
      expect(second.headers['set-cookie']?.[0]).to.match(/^__Host-panel=r; Secure;/);
    });

    it('exchanges the cookie for a new one', async () => {
      const answer = await post('refresh', { headers: asPage(publicOrigin, { cookie: 'a=b; __Host-panel=old' }) });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.data).to.deep.equal({ access_token: 'b', token_type: 'Bearer', expires_in: 900 });
      expect(answer.headers['set-cookie']?.[0]).to.match(/^__Host-panel=s; Secure;/);
      expect(fixture.calls).to.include('refreshSession old');
    });

    it('reads no cookie of another name and none of two', async () => {
      for (const cookie of [
        undefined,
        'panel=x',
        '__Host-panel=',
        '__Host-panel=x; __Host-panel=y',
        '__host-panel=x',
      ]) {
        const answer = await post('refresh', { headers: asPage(publicOrigin, { cookie }) });
        expect(answer.status, cookie).to.equal(401);
        expect(answer.headers['set-cookie'], cookie).to.equal(undefined);
      }
      expect(fixture.calls).not.to.include('refreshSession x');
    });

    it('ends the session and removes the cookie', async () => {
      const answer = await post('logout', { headers: asPage(publicOrigin, { cookie: '__Host-panel=old' }) });
      expect(answer.status).to.equal(204);
      expect(answer.headers['set-cookie']?.[0]).to.match(/^__Host-panel=; Secure;.*Max-Age=0$/);
      expect(fixture.calls).to.include('endSession old');
    });

    const attacks: [string, string, Record<string, string | undefined>][] = [
      [
        'a foreign origin',
        'fetch_site_not_allowed',
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      ],
      [
        'a sibling subdomain',
        'fetch_site_not_allowed',
        { origin: 'https://play.example.com', 'sec-fetch-site': 'same-site' },
      ],
      ['a sibling subdomain that lies about itself', 'origin_not_allowed', { origin: 'https://play.example.com' }],
      ['an origin of the CORS list', 'origin_not_allowed', { origin: 'https://other.example.net' }],
      ['the same host without TLS', 'origin_not_allowed', { origin: 'http://panel.example.com' }],
      ['the same host on another port', 'origin_not_allowed', { origin: 'https://panel.example.com:8443' }],
      ['an origin that begins with ours', 'origin_not_allowed', { origin: 'https://panel.example.com.evil.example' }],
      ['the origin of a sandboxed frame', 'origin_not_allowed', { origin: 'null' }],
      ['no origin', 'origin_not_allowed', { origin: undefined }],
      ['a navigation', 'fetch_site_not_allowed', { 'sec-fetch-site': 'none' }],
      ['no Sec-Fetch-Site', 'fetch_site_not_allowed', { 'sec-fetch-site': undefined }],
      ['no header of the console', 'console_header_missing', { 'x-panel-console': undefined }],
      ['another value of that header', 'console_header_missing', { 'x-panel-console': 'true' }],
      ['a form', 'content_type_not_json', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['a form of text', 'content_type_not_json', { 'content-type': 'text/plain' }],
      ['no content type', 'content_type_not_json', { 'content-type': undefined }],
      ['a type that begins like JSON', 'content_type_not_json', { 'content-type': 'application/jsonp' }],
    ];
    for (const [name, reason, change] of attacks) {
      it(`refuses ${name} everywhere and changes nothing`, async () => {
        for (const path of ['login', '2fa', 'refresh', 'logout']) {
          const headers = asPage(publicOrigin, { cookie: '__Host-panel=old', ...change });
          const answer = await post(path, { body: JSON.stringify(credentials), headers });
          expect(answer.status, path).to.equal(403);
          expect(answer.body.error?.details, path).to.deep.equal({ reason });
          expect(answer.headers['set-cookie'], path).to.equal(undefined);
          expect(answer.headers['access-control-allow-credentials'], path).to.equal(undefined);
        }
        expect(fixture.calls.filter((call) => call !== 'getSettings')).to.deep.equal([]);
      });
    }

    it('refuses a repeated Sec-Fetch-Site before anything else', async () => {
      const headers = { ...asPage(publicOrigin), 'Sec-Fetch-Site': ['same-origin', 'cross-site'] };
      const answer = await post('login', { json: credentials, headers: headers as never });
      expect(answer.status).to.equal(400);
    });

    it('ignores the cookie everywhere else', async () => {
      const headers = asPage(publicOrigin, { cookie: '__Host-panel=old; panel=old' });
      expect((await send(gateway.url, '/api/v1/account', { headers })).status).to.equal(401);
      const refresh = await send(gateway.url, '/api/v1/auth/refresh', { json: {}, headers });
      expect(refresh.status).to.equal(422);
      const logout = await send(gateway.url, '/api/v1/auth/logout', { method: 'POST', headers });
      expect(logout.status).to.equal(401);
    });

    it('never tells another origin that it may send the header', async () => {
      const answer = await send(gateway.url, '/api/v1/browser/login', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://other.example.net',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-panel-console',
        },
      });
      expect(String(answer.headers['access-control-allow-headers']).toLowerCase()).not.to.contain('x-panel-console');
    });
  });

  describe('on another address without TLS', () => {
    before(async () => {
      fixture.settings = Settings.create({ general: { name: 'Panel', url: 'http://192.0.2.7:8080' } });
      gateway = await gatewayFor(fixture, { host: '0.0.0.0' });
    });
    after(async () => gateway.running.stop());

    it('refuses to sign in without TLS', async () => {
      const url = gateway.url.replace('0.0.0.0', '127.0.0.1');
      const answer = await send(url, '/api/v1/browser/login', { json: credentials, headers: asPage(url) });
      expect(answer.status).to.equal(403);
      expect(answer.body.error?.details).to.deep.equal({ reason: 'tls_required' });
    });
  });
});
