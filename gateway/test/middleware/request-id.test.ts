import { expect } from 'chai';
import { createClientIpFinder } from '@panel/kit/net';
import { requestId } from '../../src/middleware/request-state.js';
import { serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('request ids', () => {
  it('generates a request id, or keeps a well-formed one', async () => {
    const { url, stop } = await serveMiddleware(requestId(createClientIpFinder([])), showState);
    const idOf = async (given?: string) =>
      (await send(url, '/', given === undefined ? {} : { headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idOf('my-request.1')).to.equal('my-request.1');
    for (const bad of [undefined, 'short', 'has blanks in it', '{"a":1}aaaa', 'x'.repeat(65)]) {
      expect(await idOf(bad), bad).to.match(/^[0-9a-f-]{36}$/);
    }
    await stop();
  });

  it('keeps a well-formed trace context of the client, and no other', async () => {
    const { url, stop } = await serveMiddleware(requestId(createClientIpFinder([])), showState);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const traceOf = async (headers: Record<string, string>) =>
      (JSON.parse((await send(url, '/', { headers })).text) as { trace?: unknown }).trace;
    expect(await traceOf({ traceparent, tracestate: 'a=1' })).to.deep.equal({ traceparent, tracestate: 'a=1' });
    expect(await traceOf({ traceparent, tracestate: 'x'.repeat(513) })).to.deep.equal({ traceparent, tracestate: '' });
    for (const bad of [
      '',
      'abc',
      traceparent.replace('00-', 'ff-'),
      traceparent.replace(/-0[^-]*-01$/, `-${'0'.repeat(16)}-01`),
    ])
      expect(await traceOf({ traceparent: bad }), bad).to.equal(undefined);
    await stop();
  });
});
