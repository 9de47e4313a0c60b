import { expect } from 'chai';
import { cors } from '../../src/middleware/response-headers.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('cross-origin requests', () => {
  it('allows listed origins only and never credentials', async () => {
    const { url, stop } = await serveMiddleware(given({}), cors(['https://panel.example.com']), showState);
    const from = async (origin: string, method = 'GET', more: Record<string, string> = {}) =>
      send(url, '/', { method, headers: { origin, ...more } });
    const listed = await from('https://panel.example.com');
    expect(listed.headers['access-control-allow-origin']).to.equal('https://panel.example.com');
    expect(listed.headers['access-control-expose-headers']).to.contain('X-RateLimit-Remaining');
    for (const origin of [
      'https://evil.example',
      'null',
      'https://panel.example.com.evil.example',
      'http://panel.example.com',
    ]) {
      const { headers, status } = await from(origin);
      expect(status).to.equal(200);
      expect(headers['access-control-allow-origin'], origin).to.equal(undefined);
      expect(headers['vary']).to.equal('Origin');
    }
    const asked = { 'access-control-request-method': 'PUT' };
    const preflight = await from('https://panel.example.com', 'OPTIONS', asked);
    expect(preflight.status).to.equal(204);
    expect(preflight.headers['access-control-allow-methods']).to.contain('PUT');
    expect(preflight.headers['access-control-allow-headers']).to.contain('Authorization');
    expect((await from('https://evil.example', 'OPTIONS', asked)).headers['access-control-allow-methods']).to.equal(
      undefined,
    );
    for (const answer of [listed, preflight]) {
      expect(answer.headers['access-control-allow-credentials']).to.equal(undefined);
    }
    await stop();
  });
});
