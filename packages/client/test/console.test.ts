import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { createPanelClient as createBrowserClient } from '../src/index.js';
import { ApiError, createPanelClient as createNodeClient } from '../src/node.js';
import { failureOf, FakePanel, json, refuse, tokens } from './support/panel.js';

const id = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';

const entries = [
  { entry: 'of Node', createPanelClient: createNodeClient },
  { entry: 'of browsers', createPanelClient: createBrowserClient },
];

for (const { entry, createPanelClient } of entries) {
  describe(`the console of the client ${entry}`, () => {
    const platformWebSocket = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
    let panel: FakePanel;
    let sockets: WebSocketServer;
    let opened: WebSocket[];
    let valid: string;

    before(() => {
      // Node 20 has no WebSocket; the one of ws has the same interface.
      if (!platformWebSocket) Object.defineProperty(globalThis, 'WebSocket', { value: WebSocket, configurable: true });
    });
    after(() => {
      if (!platformWebSocket) Reflect.deleteProperty(globalThis, 'WebSocket');
    });

    beforeEach(async () => {
      panel = new FakePanel();
      await panel.start();
      sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'bearer' });
      opened = [];
      valid = 'a0';
      panel.server.on('upgrade', (request, socket, head) => {
        const { authorization, 'sec-websocket-protocol': protocols } = request.headers;
        if (authorization === `Bearer ${valid}` || protocols?.replace(' ', '') === `bearer,${valid}`) {
          sockets.handleUpgrade(request, socket, head, (open) => opened.push(open));
          return;
        }
        const body = JSON.stringify({ error: { code: 'unauthorized', message: 'no', details: {} } });
        const headers = `HTTP/1.1 401 Unauthorized\r\nContent-Length: ${body.length}\r\nConnection: close`;
        socket.end(`${headers}\r\n\r\n${body}`);
      });
      panel.answer(({ url, headers }, response) => {
        const isRefused = url.endsWith(`/servers/${id}`) && headers.authorization !== `Bearer ${valid}`;
        if (isRefused) refuse(response, 401, 'unauthorized');
        else json(response, 200, { data: url.endsWith('/auth/refresh') ? tokens('a1', 'r1') : tokens('a0', 'r0') });
      });
    });
    afterEach(() => {
      sockets.close();
      panel.stop();
    });

    it('returns past and future messages by type', async () => {
      const console = await createPanelClient({ baseUrl: panel.baseUrl, token: 'a0' }).openConsole(id);
      const [peer] = opened;
      peer?.send('{"type":"status","status":"offline"}');
      expect((await console.next('status')).status).to.equal('offline');
      expect((await console.next('status')).status).to.equal('offline');
      const running = console.next('status', { where: ({ status }) => status === 'running', fromNow: true });
      peer?.send('[1]');
      peer?.send('{"type":"status","status":"starting"}');
      peer?.send('{"type":"status","status":"running"}');
      expect(await running).to.deep.equal({ type: 'status', status: 'running' });
      expect(console.messages).to.have.lengthOf(3);
      const impatient = await failureOf(console.next('stats', { timeoutMs: 20 }));
      expect((impatient as Error).message).to.equal('waited 20 ms in vain for a message "stats"');
      const never = failureOf(console.next('stats'));
      peer?.close(4404, 'gone');
      expect(((await never) as Error).message).to.contain('closed (4404)');
      expect(await console.closed).to.deep.equal({ code: 4404, reason: 'gone' });
    });

    it('sends commands and power actions', async () => {
      const console = await createPanelClient({ baseUrl: panel.baseUrl, token: 'a0' }).openConsole(id);
      const heard: string[] = [];
      const [peer] = opened;
      if (!peer) throw new Error('no socket was opened');
      peer.on('message', (data: Buffer) => heard.push(data.toString('utf8')));
      console.command('say hi');
      console.power('kill');
      await console.close();
      expect(heard).to.deep.equal(['{"type":"command","command":"say hi"}', '{"type":"power","action":"kill"}']);
    });

    it('renews the token of an open socket before it ends', async () => {
      const client = createPanelClient({ baseUrl: panel.baseUrl });
      await client.login('a@b.example', 'x');
      const console = await client.openConsole(id);
      const [peer] = opened;
      if (!peer) throw new Error('no socket was opened');
      const said = once(peer, 'message') as Promise<[Buffer]>;
      peer.send(JSON.stringify({ type: 'token_expiring', expires_at: new Date().toISOString() }));
      expect((await said)[0].toString('utf8')).to.equal('{"type":"auth","token":"a1"}');
      expect(client.token()).to.equal('a1');
      await console.close();
    });

    it('renews an expired token and opens again', async () => {
      const client = createPanelClient({ baseUrl: panel.baseUrl });
      await client.login('a@b.example', 'x');
      valid = 'a1';
      await (await client.openConsole(id)).close();
      expect(client.token()).to.equal('a1');
    });

    it('rejects with the error of the panel when it is refused', async () => {
      const refused = await failureOf(createPanelClient({ baseUrl: panel.baseUrl, token: 'x' }).openConsole(id));
      expect(refused).to.be.instanceOf(ApiError);
      expect(refused).to.deep.include({ status: 401, code: 'unauthorized' });
    });
  });
}
