import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { createDockerRuntime } from '../src/docker/docker-runtime.js';
import type { Runtime } from '../src/runtime.js';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { EventLog, read, readUntil, within } from '../src/testing/reading.js';
import { socketPath } from '@panel/testing/engine';

/** A connection to the engine that can be cut and restored. */
class Wire {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private readonly server = createServer((near) => {
    if (this.isCut) {
      near.destroy();
      return;
    }
    const far = connect(socketPath);
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    }
    near.pipe(far).on('close', () => near.destroy());
    far.pipe(near).on('close', () => far.destroy());
  });

  async open(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.server.once('listening', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  cut(stay = false): void {
    this.isCut = stay;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut(true);
    this.server.close();
  }
}

export function dockerInterruptions(subject: Subject, panelId: string): void {
  describe('connection interruptions', () => {
    let fixture: Fixture;
    let wire: Wire;
    let runtime: Runtime;
    beforeEach(async () => {
      fixture = new Fixture(subject);
      wire = new Wire();
      const port = await wire.open();
      runtime = createDockerRuntime({ url: `tcp://127.0.0.1:${port}`, panelId, timeoutMs: 5000 });
    });
    afterEach(async () => {
      await runtime.close();
      wire.close();
      await fixture.close();
    });

    it('loses and duplicates no line of a reader', async () => {
      const spec = await fixture.run('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; read x');
      let cuts = 0;
      const reading = read(runtime, spec.serverId, {
        until: (text) => {
          if (cuts < 3 && text.includes(`line ${(cuts + 1) * 700}\n`)) {
            cuts += 1;
            wire.cut();
          }
          return text.includes('line 2999\n');
        },
      });
      const wanted = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join('');
      const { text, chunks } = await reading;
      expect(text).to.equal(wanted);
      expect(chunks.filter(({ isAfterGap }) => isAfterGap)).to.deep.equal([]);
      expect(cuts).to.equal(3);
    });

    it('ends a watch and a reader with NODE_UNREACHABLE when interruptions last', async () => {
      const spec = await fixture.run('echo ready; read x');
      const log = new EventLog(runtime);
      const reading = reasonOf(read(runtime, spec.serverId));
      await readUntil(runtime, spec.serverId, 'ready');
      wire.cut(true);
      expect(await within(10_000, 'the reader', reading)).to.equal('NODE_UNREACHABLE');
      await waitUntil('the watch to end', () => log.failure !== null);
      expect(log.failure).to.include({ reason: 'NODE_UNREACHABLE' });
      wire.mend();
      expect(await runtime.inspect(spec.serverId)).to.include({ state: 'running' });
    });

    it('sends input after an interruption', async () => {
      const spec = await fixture.run('while read l; do echo "got $l"; done');
      await runtime.writeInput(spec.serverId, 'one\n');
      await readUntil(runtime, spec.serverId, 'got one');
      wire.cut();
      await runtime.writeInput(spec.serverId, 'two\n');
      await readUntil(runtime, spec.serverId, 'got two');
    });

    it('keeps the samples of a running game', async () => {
      const spec = await fixture.run('read x');
      let count = 0;
      const abort = new AbortController();
      const measuring = (async () => {
        for await (const _ of runtime.readStats(spec.serverId, abort.signal)) {
          count += 1;
          if (count === 1) wire.cut();
          if (count === 3) abort.abort();
        }
      })();
      await within(10_000, 'three samples', measuring);
      expect(count).to.equal(3);
    });
  });
}
