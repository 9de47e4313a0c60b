import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { Operation_Kind, PowerState, Resources, type Server, WatchEnded_Reason } from '@panel/protos/servers';
import { accessToken, gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { openSocket, refusedUpgrade, TestSocket } from '../support/sockets.js';
import { type TestUser, Fixture } from '../support/fixture.js';

describe('console sockets', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  let owner: TestUser;
  let server: Server;
  let token: string;
  const open: TestSocket[] = [];

  const connectTo = async (as = token, id = server.id) => {
    const socket = openSocket(gateway.url, id, as);
    open.push(socket);
    return socket.open();
  };

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.failing.clear();
    owner = fixture.createUser();
    server = fixture.addServer(owner);
    ({ token } = signIn(fixture, owner));
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.socket.terminate();
  });

  describe('upgrade', () => {
    const path = (id: string) => `/api/v1/servers/${id}/ws`;

    it('refuses an upgrade with an HTTP error envelope and all headers', async () => {
      const stranger = signIn(fixture, fixture.createUser()).token;
      const subuser = fixture.createUser();
      fixture.rights.set(`${subuser.userId} ${server.id}`, ['file.read']);
      const suspended = fixture.addServer(owner, { suspended: true });
      const elsewhere = giveKey(fixture, owner, ['198.51.100.7']);
      const cases: [string, string, number, string][] = [
        [server.id, '', 401, 'unauthorized'],
        [server.id, 'Bearer nonsense', 401, 'unauthorized'],
        [server.id, `Bearer ${accessToken(owner.userId, randomUUID())}`, 401, 'unauthorized'],
        [server.id, `Bearer ${elsewhere}`, 403, 'forbidden'],
        [server.id, `Bearer ${stranger}`, 404, 'not_found'],
        [randomUUID(), `Bearer ${token}`, 404, 'not_found'],
        ['not-an-id', `Bearer ${token}`, 404, 'not_found'],
        [server.id, `Bearer ${signIn(fixture, subuser).token}`, 403, 'forbidden'],
        [suspended.id, `Bearer ${token}`, 409, 'server_locked'],
      ];
      for (const [id, authorization, status, code] of cases) {
        const answer = await refusedUpgrade(gateway.url, path(id), authorization === '' ? {} : { authorization });
        expect(answer.status, authorization.slice(0, 20)).to.equal(status);
        expect((JSON.parse(answer.body) as { error: { code: string } }).error.code).to.equal(code);
        expect(answer.headers['x-ratelimit-limit']).to.equal('1000');
        expect(answer.headers['x-request-id']).to.be.a('string');
        expect(answer.headers['cache-control']).to.equal('no-store');
      }
    });

    it('refuses an upgrade on other paths and with a token in the query', async () => {
      const elsewhere = await refusedUpgrade(gateway.url, '/api/v1/nowhere', { authorization: `Bearer ${token}` });
      expect(elsewhere.status).to.equal(404);
      const query = await refusedUpgrade(gateway.url, `${path(server.id)}?token=${token}&access_token=${token}`, {});
      expect(query.status).to.equal(401);
    });

    it('refuses an upgrade of foreign origins', async () => {
      const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
      expect((await refusedUpgrade(gateway.url, path(server.id), headers)).status).to.equal(403);
      const socket = openSocket(gateway.url, server.id, token, { headers: { origin: 'https://panel.example.com' } });
      open.push(socket);
      await socket.open();
    });

    it('refuses an upgrade with a malformed handshake', async () => {
      const authorization = `Bearer ${token}`;
      const key = await refusedUpgrade(gateway.url, path(server.id), { authorization, 'sec-websocket-key': 'short' });
      expect(key.status).to.equal(400);
      const version = await refusedUpgrade(gateway.url, path(server.id), {
        authorization,
        'sec-websocket-version': '8',
      });
      expect(version.status).to.equal(400);
      const plain = await send(gateway.url, path(server.id), { token });
      expect([plain.status, plain.body.error?.code]).to.deep.equal([400, 'bad_request']);
    });

    it('accepts the token as a sub-protocol and does not echo it', async () => {
      const url = `${gateway.url}${path(server.id)}`;
      const socket = new TestSocket(url, ['bearer', token], {});
      open.push(socket);
      await socket.open();
      expect(socket.socket.protocol).to.equal('bearer');
      expect((await socket.headers)['x-ratelimit-limit']).to.equal('1000');
    });

    it('serves a request for another protocol as plain HTTP', async () => {
      const answer = await send(gateway.url, '/api/v1/auth/login', {
        json: { email: 'a@example.com', password: 'right' },
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
        },
      });
      expect(answer.status).to.equal(200);
      expect(answer.body.data).to.have.property('access_token');
    });

    it('allows 20 sockets per user and 30 per server', async () => {
      await Promise.all(Array.from({ length: 20 }, async () => connectTo()));
      const answer = await refusedUpgrade(gateway.url, path(server.id), { authorization: `Bearer ${token}` });
      expect(answer.status).to.equal(429);
      expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0);
      expect(answer.headers).to.include({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0' });
      // Pages cannot read that answer, and ask without an upgrade.
      const plain = await send(gateway.url, path(server.id), { token });
      expect(plain.status).to.equal(429);
      expect(plain.body.error?.details).to.include({ limit: 'user_consoles' });
      expect(plain.body.error?.message).to.match(/^Your account has 20 open consoles, as many as it may/);
      const admin = fixture.createUser(['*']);
      const adminToken = signIn(fixture, admin).token;
      await Promise.all(Array.from({ length: 10 }, async () => connectTo(adminToken)));
      const full = await refusedUpgrade(gateway.url, path(server.id), { authorization: `Bearer ${adminToken}` });
      expect(full.status).to.equal(429);
      expect(full.headers).to.include({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' });
      open.shift()?.socket.terminate();
      await waitUntil('a place', async () => {
        const again = openSocket(gateway.url, server.id, adminToken);
        open.push(again);
        return again.open().catch(() => null);
      });
    });
  });

  describe('received messages', () => {
    it('sends the state, the last 150 lines in order, and stats first', async () => {
      const console = fixture.consoleOf(server.id);
      console.print(...Array.from({ length: 200 }, (_, i) => `line ${i}`));
      const first = await connectTo();
      await first.until('the history', () => first.lines().length === 150);
      console.emit({
        event: { $case: 'stats', value: Resources.create({ state: PowerState.RUNNING, cpuPercent: 5 }) },
      });
      await first.until('stats', () => first.of('stats').length === 1);
      const second = await connectTo();
      await second.until('stats', () => second.of('stats').length === 1);
      for (const socket of [first, second]) {
        expect(socket.messages[0]).to.deep.equal({ type: 'status', status: 'running' });
        expect(socket.lines()).to.deep.equal(Array.from({ length: 150 }, (_, i) => `line ${i + 50}`));
        expect(socket.messages.at(-1)).to.include({ type: 'stats', cpu: 5, state: 'running' });
      }
      expect(console.watching).to.equal(1);
    });

    it('neither loses nor duplicates messages for sockets that join during output', async () => {
      const console = fixture.consoleOf(server.id);
      const total = 5_000;
      const sockets: TestSocket[] = [];
      for (let at = 0; at < total; at += 100) {
        console.print(...Array.from({ length: 100 }, (_, i) => `${at + i}`));
        if (at % 500 === 0) sockets.push(await connectTo());
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(
        sockets.map(async (socket) => socket.until('the end', () => socket.lines().at(-1) === `${total - 1}`)),
      );
      for (const socket of sockets) {
        const numbers = socket.lines().map(Number);
        const first = numbers[0] ?? 0;
        expect(numbers).to.deep.equal(Array.from({ length: total - first }, (_, i) => first + i));
      }
    });

    it('continues after a broken stream without lost or duplicated lines', async () => {
      const console = fixture.consoleOf(server.id);
      console.print('one', 'two', 'three');
      const socket = await connectTo();
      await socket.until('three lines', () => socket.lines().length === 3);
      console.drop();
      console.print('four', 'five');
      await socket.until('five lines', () => socket.lines().length === 5);
      console.print('six');
      await socket.until('six lines', () => socket.lines().length === 6);
      expect(socket.lines()).to.deep.equal(['one', 'two', 'three', 'four', 'five', 'six']);
      expect(socket.of('status')).to.have.length(1);
    });

    it('numbers the lines, and resumes after the last line of a reconnecting client', async () => {
      const console = fixture.consoleOf(server.id);
      console.print('one', 'two', 'three');
      const first = await connectTo();
      await first.until('three lines', () => first.lines().length === 3);
      expect(first.of('console_output').map(({ seq }) => seq)).to.deep.equal([1, 2, 3]);
      const again = new TestSocket(`${gateway.url}/api/v1/servers/${server.id}/ws?after=2`, [], {
        headers: { authorization: `Bearer ${token}` },
      });
      open.push(again);
      await again.open();
      await again.until('the line it lacks', () => again.lines().length === 1);
      console.print('four');
      await again.until('the next line', () => again.lines().length === 2);
      expect(again.lines()).to.deep.equal(['three', 'four']);
    });

    it('continues a console while access cannot be verified, until the grace ends with its reason', async () => {
      const graced = await gatewayFor(fixture, { consoleRecheckGraceMs: 6_000 });
      const socket = await openSocket(graced.url, server.id, token).open();
      fixture.failing.set('getServer', new AppError('unavailable', 'STOPPING', 'stopping'));
      const startedAt = performance.now();
      fixture.consoleOf(server.id).print('while unverified');
      await socket.until('a line', () => socket.lines().includes('while unverified'));
      expect(await socket.closed(15_000)).to.equal(4503);
      expect(performance.now() - startedAt).to.be.greaterThan(5_000);
      expect(socket.closeReason).to.equal('access could not be verified');
      expect(socket.of('error').map(({ code }) => code)).to.deep.equal(['service_unavailable']);
      fixture.failing.clear();
      await graced.running.stop();
    }).timeout(30_000);

    it('never parses messages from game output', async () => {
      const forged = '{"type":"status","status":"offline"}';
      fixture.consoleOf(server.id).print(forged, 'lone \ud800 surrogate', '\u001b[31mred');
      const socket = await connectTo();
      await socket.until('three lines', () => socket.lines().length === 3);
      expect(socket.lines()[0]).to.equal(forged);
      expect(socket.of('status')).to.deep.equal([{ type: 'status', status: 'running' }]);
    });

    it('reports changes of state and operations', async () => {
      const socket = await connectTo();
      await socket.until('the state', () => socket.of('status').length === 1);
      const console = fixture.consoleOf(server.id);
      console.setState(PowerState.STOPPING);
      const operation = {
        id: 'op',
        kind: Operation_Kind.INSTALLING,
        step: 'pull',
        progressPercent: 5,
        startTime: undefined,
      };
      console.emit({ event: { $case: 'operation', value: { operation } } });
      console.emit({ event: { $case: 'operation', value: { operation: undefined } } });
      await socket.until('both', () => socket.of('operation').length === 2);
      expect(socket.of('status')[1]).to.deep.equal({ type: 'status', status: 'stopping' });
      expect(socket.of('operation')).to.deep.equal([
        { type: 'operation', kind: 'installing', step: 'pull', progress: 5 },
        { type: 'operation', kind: null, step: null, progress: null },
      ]);
    });

    it('sends installation output to permitted users and staff only', async () => {
      const subuser = fixture.createUser();
      fixture.rights.set(`${subuser.userId} ${server.id}`, ['websocket.connect', 'control.console']);
      const mine = await connectTo();
      const theirs = await connectTo(signIn(fixture, subuser).token);
      const console = fixture.consoleOf(server.id);
      await theirs.until('the state', () => theirs.of('status').length === 1);
      const operation = {
        id: 'op',
        kind: Operation_Kind.INSTALLING,
        step: 'run',
        progressPercent: 5,
        startTime: undefined,
      };
      console.emit({ event: { $case: 'operation', value: { operation } } });
      console.emit({ event: { $case: 'install', value: { text: 'secret', step: 'run' } } });
      console.print('visible');
      await theirs.until('the line', () => theirs.lines().length === 1);
      await mine.until('the line', () => mine.lines().length === 1);
      expect(mine.of('install_output')).to.deep.equal([{ type: 'install_output', message: 'secret', step: 'run' }]);
      expect(theirs.of('install_output')).to.deep.equal([]);
      const staff = fixture.createUser(['servers.view']);
      fixture.rights.set(`${staff.userId} ${server.id}`, ['websocket.connect']);
      const looking = await connectTo(signIn(fixture, staff).token);
      await looking.until('what was said so far', () => looking.of('install_output').length === 1);
      const late = await connectTo();
      await late.until('what was said so far', () => late.of('install_output').length === 1);
    });
  });

  describe('sent messages', () => {
    it('executes commands and power actions of messages as the user', async () => {
      const socket = await connectTo();
      socket.send({ type: 'command', command: 'say hi' });
      socket.send({ type: 'power', action: 'restart' });
      await waitUntil(
        'both',
        () => fixture.commands.at(-1)?.serverId === server.id && fixture.count('sendPowerAction') > 0,
      );
      expect(fixture.commands.at(-1)).to.deep.equal({ serverId: server.id, command: 'say hi', userId: owner.userId });
      expect(socket.of('error')).to.deep.equal([]);
    });

    it('answers messages with the error codes of REST and keeps the socket open', async () => {
      const subuser = fixture.createUser();
      fixture.rights.set(`${subuser.userId} ${server.id}`, ['websocket.connect']);
      const socket = await connectTo(signIn(fixture, subuser).token);
      socket.send({ type: 'command', command: 'op me' });
      fixture.failing.set('sendPowerAction', new AppError('failed_precondition', 'SERVER_LOCKED', 'busy'));
      socket.send({ type: 'power', action: 'start' });
      await socket.until('two errors', () => socket.of('error').length === 2);
      expect(socket.of('error').map(({ code }) => code)).to.deep.equal(['forbidden', 'server_locked']);
      expect(fixture.commands.filter(({ serverId }) => serverId === server.id)).to.deep.equal([]);
    });

    it('answers a malformed message with an error, and closes with 4429 at the eleventh in a minute', async () => {
      const socket = await connectTo();
      const nonsense = [
        'no json',
        '[]',
        'null',
        '{}',
        '{"type":"__proto__"}',
        '{"type":"fly"}',
        '{"type":"command"}',
        '{"type":"command","command":"two\\nlines"}',
        Buffer.from('{"type":"command","command":"x"}'),
        `{"type":${'['.repeat(10_000)}}`,
      ];
      for (const message of nonsense) socket.send(message);
      await socket.until('ten errors', () => socket.of('error').length === 10);
      expect(socket.of('error').every(({ code }) => code === 'bad_request' || code === 'validation_error')).to.equal(
        true,
      );
      socket.send('again');
      expect(await socket.closed()).to.equal(4429);
    });

    it('echoes the ref of a message in its error', async () => {
      const socket = await connectTo();
      socket.send({ type: 'command', command: '', ref: 'a' });
      socket.send({ type: 'auth', token: 'nonsense', ref: 'b' });
      socket.send({ type: 'command' });
      await socket.until('three errors', () => socket.of('error').length === 3);
      expect(socket.of('error').map(({ ref }) => ref)).to.deep.equal(['a', 'b', null]);
    });

    it('acknowledges a new token with its expiry', async () => {
      const socket = await connectTo();
      socket.send({ type: 'auth', token: signIn(fixture, owner, 300).token, ref: 'renew' });
      await socket.until('the acknowledgement', () => socket.of('authenticated').length === 1);
      const [acknowledgement] = socket.of('authenticated');
      expect(acknowledgement?.['ref']).to.equal('renew');
      expect(new Date(String(acknowledgement?.['expires_at'])).getTime() - Date.now()).to.be.within(250_000, 300_000);
    });

    it('closes the socket with 4429 when a client ignores rate limit errors', async () => {
      fixture.commandLimit = 5;
      const socket = await connectTo();
      for (let i = 0; i < 60; i++) socket.send({ type: 'command', command: `say ${i}` });
      expect(await socket.closed()).to.equal(4429);
      expect(fixture.commands.filter(({ serverId }) => serverId === server.id)).to.have.length(5);
      fixture.commandLimit = 1000;
    });

    it('refuses messages with C0 and C1 control characters and line separators', async () => {
      const socket = await connectTo();
      const texts = ['a\nb', 'a\rb', 'a\u0000', 'a\u007f', 'a\u0085b', 'a\u009b31m', 'a\u2028b', 'a\u2029b'];
      for (const command of texts) socket.send({ type: 'command', command });
      await socket.until('the errors', () => socket.of('error').length === texts.length);
      socket.send({ type: 'command', command: 'say tab\tand ümlaut' });
      await waitUntil('the valid command', () => fixture.commands.at(-1)?.command === 'say tab\tand ümlaut');
    });

    it('closes the socket on a message above 16 KiB and on text that is not UTF-8', async () => {
      const large = await connectTo();
      large.send('x'.repeat(17 * 1024));
      expect(await large.closed()).to.equal(1009);
      const invalid = await connectTo();
      invalid.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
      expect(await invalid.closed()).to.equal(1007);
    });

    it('survives malformed frames', async () => {
      const other = await connectTo();
      const socket = await connectTo();
      (socket.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(Buffer.alloc(64, 0xff));
      await socket.closed();
      fixture.consoleOf(server.id).print('still here');
      await other.until('the line', () => other.lines().includes('still here'));
    });
  });

  describe('loss of a permission', () => {
    it('closes with 4401 when the session ends', async () => {
      const { token: other, sessionId } = signIn(fixture, owner);
      const socket = await connectTo(other);
      fixture.sessions.delete(sessionId);
      expect(await socket.closed(5_000)).to.equal(4401);
    });

    it('refuses the next command of an ended session', async () => {
      const { token: other, sessionId } = signIn(fixture, owner);
      const socket = await connectTo(other);
      fixture.sessions.delete(sessionId);
      socket.send({ type: 'command', command: 'too late' });
      expect(await socket.closed(5_000)).to.equal(4401);
      expect(fixture.commands.map(({ command }) => command)).not.to.contain('too late');
    });

    it('closes with 4403 for removed access, 4404 for a deleted and 4409 for a suspended server', async () => {
      const subuser = fixture.createUser();
      fixture.rights.set(`${subuser.userId} ${server.id}`, ['websocket.connect']);
      const removed = await connectTo(signIn(fixture, subuser).token);
      fixture.rights.delete(`${subuser.userId} ${server.id}`);
      expect(await removed.closed(5_000)).to.equal(4403);
      for (const [reason, code] of [
        [WatchEnded_Reason.DELETED, 4404],
        [WatchEnded_Reason.SUSPENDED, 4409],
      ] as const) {
        const socket = await connectTo();
        await socket.until('the state', () => socket.of('status').length === 1);
        fixture.consoleOf(server.id).emit({ event: { $case: 'ended', value: { reason } } });
        expect(await socket.closed()).to.equal(code);
      }
    });

    it('warns before a token expires, closes at its expiry, and continues with a new one', async () => {
      const { sessionId } = signIn(fixture, owner);
      const soon = accessToken(owner.userId, sessionId, 3);
      const [ending, renewed] = [await connectTo(soon), await connectTo(soon)];
      for (const socket of [ending, renewed])
        await socket.until('a warning', () => socket.of('token_expiring').length === 1);
      renewed.send({ type: 'auth', token: accessToken(owner.userId, sessionId) });
      expect(await ending.closed(8_000)).to.equal(4401);
      fixture.consoleOf(server.id).print('for the renewed');
      await renewed.until('the line', () => renewed.lines().includes('for the renewed'));
    });

    it('does not accept a token of another user', async () => {
      const socket = await connectTo();
      socket.send({ type: 'auth', token: signIn(fixture, fixture.createUser(['*'])).token });
      socket.send({ type: 'auth', token: 'nonsense' });
      await socket.until('two errors', () => socket.of('error').length === 2);
      expect(socket.of('error').map(({ code }) => code)).to.deep.equal(['unauthorized', 'unauthorized']);
    });
  });

  describe('reader that has stopped reading', () => {
    it('disconnects a reader that has stopped reading without affecting the others', async () => {
      const stalled = openSocket(gateway.url, server.id, token);
      open.push(stalled);
      await stalled.open();
      stalled.socket.pause();
      const reader = await connectTo();
      const console = fixture.consoleOf(server.id);
      const line = 'x'.repeat(8_000);
      for (let round = 0; round < 60; round++) {
        console.print(...Array.from({ length: 50 }, () => line));
        await reader.until('the lines', () => reader.lines().length === (round + 1) * 50);
      }
      await waitUntil('the stalled socket to go', async () => {
        const { text } = await send(`http://${gateway.running.addresses.metrics}`, '/metrics');
        return /gateway_sockets\{[^}]*\} 1\b/.test(text);
      });
      expect(reader.closeCode).to.equal(null);
    }).timeout(30_000);

    it('disconnects a reader that has stopped reading when it is the only one', async () => {
      const stalled = await connectTo();
      stalled.socket.pause();
      const line = 'x'.repeat(8_000);
      for (let round = 0; round < 40; round++)
        fixture.consoleOf(server.id).print(...Array.from({ length: 50 }, () => line));
      await waitUntil('the stream to end', () => fixture.consoleOf(server.id).watching === 0, 20_000);
    }).timeout(30_000);
  });

  describe('reader that is slower than the game', () => {
    it('receives every line by backpressure', async () => {
      const reader = await connectTo();
      const line = 'x'.repeat(8_000);
      reader.socket.on('message', () => {
        if (reader.messages.length % 60 !== 0) return;
        reader.socket.pause();
        setTimeout(() => reader.socket.resume(), 100);
      });
      for (let round = 0; round < 40; round++)
        fixture.consoleOf(server.id).print(...Array.from({ length: 50 }, () => line));
      await reader.until('all lines', () => reader.messages.length >= 2_000, 20_000);
      expect(reader.lines()).to.have.length(2_000);
      expect(reader.closeCode).to.equal(null);
    }).timeout(30_000);
  });
});
