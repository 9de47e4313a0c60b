import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { accessLog } from '../../src/middleware/access-log.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('access log', () => {
  it('writes one line per request without secrets or injected lines', async () => {
    const lines: string[] = [];
    const log = createLogger({
      service: 'test',
      level: 'info',
      stream: { write: (line: string) => void lines.push(line) },
    });
    const measured: unknown[][] = [];
    const metrics = { observe: (...values: unknown[]) => void measured.push(values) };
    const { url, stop } = await serveMiddleware(given({}), accessLog(log, metrics as never), showState);
    await send(url, '/some/path?token=secret-in-query', {
      token: 'secret-token',
      headers: { 'user-agent': 'evil \u0085[31m {"level":"fatal"}' },
    });
    await waitUntil('a line', () => lines.length === 1);
    expect(lines[0]).not.to.contain('secret');
    expect(lines[0]?.match(/\n/g)).to.have.length(1);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line).to.include({
      requestId: 'test-request',
      method: 'GET',
      path: '/some/path',
      status: 200,
      ip: '192.0.2.1',
    });
    expect(measured[0]?.slice(0, 3)).to.deep.equal(['GET', 'none', 200]);
    await stop();
  });
});
