import { once } from 'node:events';
import { AppError } from '@panel/kit/errors';
import type { Connection } from '@panel/rpc';
import type { ExportVolumeResponse } from '@panel/protos/files';
import { expect } from 'chai';
import { reasonOf } from '../harness.js';
import { exportFrom } from '../../src/transfers/export-source.js';

function quietAfter(messages: number): { connection: Connection; isClosed: () => boolean } {
  let isClosed = false;
  async function* exportVolume(_request: unknown, { signal }: { signal: AbortSignal }) {
    for (let sent = 0; sent < messages; sent += 1) yield { parts: [] } satisfies ExportVolumeResponse;
    signal.throwIfAborted();
    await once(signal, 'abort');
    throw signal.reason;
  }
  const connection = { client: () => ({ exportVolume }), close: () => (isClosed = true) };
  return { connection: connection as never, isClosed: () => isClosed };
}

describe('transfer source', () => {
  const source = { address: 'node:1', grant: '', afterPath: Buffer.alloc(0), partial: undefined };
  const read = async (
    connection: Connection,
    signal: AbortSignal,
    idleTimeoutMs: number,
    onMessage = async () => {},
  ) => {
    let count = 0;
    for await (const { parts } of exportFrom(() => connection, source, signal, idleTimeoutMs)) {
      count += 1 + parts.length;
      await onMessage();
    }
    return count;
  };

  it('reports a transfer source unavailable after its idle timeout', async () => {
    const { connection, isClosed } = quietAfter(3);
    const never = new AbortController().signal;
    expect(await reasonOf(read(connection, never, 20))).to.equal('SOURCE_UNAVAILABLE');
    expect(isClosed()).to.equal(true);
  });

  it('abandons a transfer source immediately when its caller cancels', async () => {
    const { connection, isClosed } = quietAfter(1);
    const abort = new AbortController();
    const reading = read(connection, abort.signal, 60_000, async () =>
      abort.abort(new AppError('cancelled', 'CANCELLED', 'enough')),
    );
    expect(await reasonOf(reading)).to.equal('CANCELLED');
    expect(isClosed()).to.equal(true);
  });
});
