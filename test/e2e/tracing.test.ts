import { startFakeCollector, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { adminPassword, bootStack, type TestStack } from './support/stack.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('traces', function () {
  this.timeout(120_000);
  let collector: Awaited<ReturnType<typeof startFakeCollector>>;
  let test: TestStack;

  before(async () => {
    collector = await startFakeCollector();
    test = await bootStack({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  });
  after(async () => {
    await test?.stop();
    await collector?.stop();
  });

  it('shows a request of a client from the gateway to the services it takes', async () => {
    const { id } = await createGame(test);
    const credentials = { email: test.adminEmail, password: adminPassword };
    const { data } = await test.admin.post('/auth/login', { body: credentials });
    if (!('access_token' in data)) throw new Error('the administrator has a second factor');
    const response = await fetch(`${test.stack.baseUrl}/api/v1/servers/${id}/files/list`, {
      headers: {
        Authorization: `Bearer ${data.access_token}`,
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
    });
    expect(response.status).to.equal(200);
    const spans = await waitUntil('the spans of all three processes', () => {
      const found = collector.spans.filter((span) => span.traceId === traceId);
      return new Set(found.map(({ service }) => service)).size >= 3 && found;
    });
    const request = spans.find(({ service }) => service === 'gateway');
    expect(request).to.include({ name: 'GET /api/v1/servers/{id}/files/list', parentSpanId: '00f067aa0ba902b7' });
    for (const service of ['servers', 'files'])
      expect(
        spans.filter((span) => span.service === service).map(({ parentSpanId }) => parentSpanId),
        service,
      ).to.include(request?.spanId);
  });
});
