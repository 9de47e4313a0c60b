import { expect } from 'chai';
import { securityHeaders } from '../../src/http/security-headers.js';
import { setSecurityHeaders } from '../../src/middleware/response-headers.js';
import { serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('security headers', () => {
  it('sets security headers on every response', async () => {
    const { url, stop } = await serveMiddleware(setSecurityHeaders(), showState);
    const { headers } = await send(url, '/');
    for (const [name, value] of Object.entries(securityHeaders)) expect(headers[name.toLowerCase()]).to.equal(value);
    await stop();
  });
});
