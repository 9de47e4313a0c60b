import { expect } from 'chai';
import { parseTraceContext, startTracing, traceIdOf } from '@panel/kit/process';
import { startFakeCollector } from '@panel/kit/testing';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const client = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'a=1' };

describe('tracing', () => {
  it('sends work with its parents, its names and its failures to the collector', async () => {
    const collector = await startFakeCollector();
    const tracing = await startTracing({ service: 'test', endpoint: `${collector.endpoint}/`, ratio: 1 });
    const outer = tracing.begin('outer', client);
    const inner = tracing.begin('inner', outer.context);
    inner.end('it broke');
    outer.end(null, { name: 'GET /servers', attributes: { 'http.response.status_code': 200 } });
    await tracing.stop();
    await collector.stop();
    const [first, second] = collector.spans;
    expect(first).to.include({ service: 'test', name: 'inner', traceId, parentSpanId: second?.spanId, status: 2 });
    expect(second).to.include({ name: 'GET /servers', traceId, parentSpanId: '00f067aa0ba902b7', status: 0 });
    expect(outer.context).to.deep.equal({ traceparent: `00-${traceId}-${second?.spanId}-01`, tracestate: 'a=1' });
  });

  it('records the share that is asked for, of which a client outside decides nothing', async () => {
    const collector = await startFakeCollector();
    const begin = { endpoint: collector.endpoint, ratio: 0 };
    const edge = await startTracing({ ...begin, service: 'edge', isEdge: true });
    const service = await startTracing({ ...begin, service: 'inside' });
    const works = [
      edge.begin('of a client', client),
      service.begin('of the gateway', client),
      edge.begin('new', undefined),
    ];
    for (const work of works) work.end(null);
    await Promise.all([edge.stop(), service.stop()]);
    await collector.stop();
    expect(collector.spans.map(({ name }) => name)).to.deep.equal(['of the gateway']);
    expect(works.map(({ context }) => context.traceparent.slice(-2))).to.deep.equal(['00', '01', '00']);
    expect(traceIdOf(works[0]?.context)).to.equal(traceId);
  });

  it('ends in time when the collector is away', async () => {
    const tracing = await startTracing({ service: 'test', endpoint: 'http://127.0.0.1:9', ratio: 1 });
    tracing.begin('lost', undefined).end(null);
    const before = performance.now();
    await tracing.stop();
    expect(performance.now() - before).to.be.below(5_000);
  });

  it('takes only what is written as the W3C does', () => {
    expect(parseTraceContext(client.traceparent, client.tracestate)).to.deep.equal(client);
    for (const bad of [
      undefined,
      '',
      `01-${traceId}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `${client.traceparent}-x`,
      client.traceparent.toUpperCase(),
    ])
      expect(parseTraceContext(bad, ''), String(bad)).to.equal(undefined);
    expect(parseTraceContext(client.traceparent, 'a=\u00e4')?.tracestate).to.equal('');
  });
});
