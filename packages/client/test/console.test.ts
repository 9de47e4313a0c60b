import { once } from 'node:events';
import { expect } from 'chai';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError, createPanelClient } from '../src/index.js';
import { failureOf, FakePanel, json, tokens } from './support/panel.js';

const id = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';

describe('the console of the client', () => {
  let panel: FakePanel;
  let sockets: WebSocketServer;
  let opened: WebSocket[];
  let valid: string;

  beforeEach(async () => {
    panel = new FakePanel();
    await panel.start();
    sockets = new WebSocketServer({ noServer: true });
    opened = [];
    valid = 'a0';
    panel.server.on('upgrade', (request, socket, head) => {
      if (request.headers.authorization === `Bearer ${valid}`) {
        sockets.handleUpgrade(request, socket, head, (open) => opened.push(open));
        return;
      }
      const body = JSON.stringify({ error: { code: 'unauthorized', message: 'no', details: {} } });
      const headers = `HTTP/1.1 401 Unauthorized\r\nContent-Length: ${body.length}\r\nConnection: close`;
      socket.end(`${headers}\r\n\r\n${body}`);
    });
    panel.answer(({ url }, response) =>
      json(response, 200, { data: url.endsWith('/auth/refresh') ? tokens('a1', 'r1') : tokens('a0', 'r0') }),
    );
  });
  afterEach(() => {
    sockets.close();
    panel.stop();
  });

  it('hands over messages by their type, past and future', async () => {
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

  it('opens with a renewed token where the old one had ended', async () => {
    const client = createPanelClient({ baseUrl: panel.baseUrl });
    await client.login('a@b.example', 'x');
    valid = 'a1';
    await (await client.openConsole(id)).close();
    expect(client.token()).to.equal('a1');
  });

  it('tells why it was refused', async () => {
    const refused = await failureOf(createPanelClient({ baseUrl: panel.baseUrl, token: 'x' }).openConsole(id));
    expect(refused).to.be.instanceOf(ApiError);
    expect(refused).to.deep.include({ status: 401, code: 'unauthorized' });
  });
});
